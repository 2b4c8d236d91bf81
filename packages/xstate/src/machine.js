// One machine as a finite system: XState's own algorithm runs on a copy of the machine in which
// guards are choices and actions leave marks.
import { assign, cancel, emit, raise, sendTo, spawnChild, stopChild, fromPromise } from 'xstate';
import { eventTypes, hidden, isEmpty, onlyData } from './expressions.js';
import { Oracle, Unseen } from './oracle.js';

const MOST_CONFIGURATIONS = 2_000;
const OTHER = '(other)';

const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const isMachine = (logic) => Boolean(logic?.root && logic?.idMap && logic?.config);
const promiseText = fromPromise(async () => 0).transition.toString();
const isPromise = (logic) => typeof logic?.transition === 'function' && logic.transition.toString() === promiseText;

/** Target of a message: an actor relative to the one that sends. */
const SELF = { kind: 'self' };
const PARENT = { kind: 'parent' };

/** A machine, rewritten. `children` are the actors that it can have, by their ids. */
export class Extraction {
  constructor(machine, path, isRoot, options) {
    this.machine = machine;
    this.path = path;
    this.isRoot = isRoot;
    this.options = options;
    this.oracle = new Oracle();
    this.children = new Map();
    /** Events that come by themselves: { type, node } while the state is active, or always. */
    this.spontaneous = [];
    /** Messages that are sent later: { to, types }. */
    this.delayed = [];
    this.names = new Set();
    this.mayFail = false;
    const { context } = machine.config;
    onlyData(context, ['input'], `${path}: the initial context`);
    this.noteFunction(context);
    this.copy = new machine.constructor(this.state(machine.config, machine.root), {});
  }

  noteFunction(value) {
    if (typeof value === 'function') this.mayFail = true;
    else if (value && typeof value === 'object') Object.values(value).forEach((one) => typeof one === 'function' && this.noteFunction(one));
  }

  unseen(what) {
    return new Unseen(`${this.path}: ${what}`);
  }

  state(config, node) {
    const on = {};
    const add = (descriptor, transitions) => {
      this.names.add(descriptor);
      on[descriptor] = [...(on[descriptor] ?? []), ...this.transitions(transitions)];
    };
    for (const [descriptor, transitions] of Object.entries(config.on ?? {})) add(descriptor, transitions);
    const entry = this.actions(config.entry);
    const exit = this.actions(config.exit);
    for (const invoked of node.invoke) {
      const { id } = invoked;
      const written = list(config.invoke)[node.invoke.indexOf(invoked)];
      if (invoked.onSnapshot || invoked.syncSnapshot) throw this.unseen(`snapshots of '${id}' are sent to its parent`);
      this.noteFunction(invoked.input);
      const kind = this.child(id, written.src, invoked.systemId, node.id);
      if (invoked.onDone) add(`xstate.done.actor.${id}`, invoked.onDone);
      if (invoked.onError) add(`xstate.error.actor.${id}`, invoked.onError);
      if (kind === 'machine') {
        entry.push(this.mark({ kind: 'start', child: id }));
        exit.push(this.mark({ kind: 'stop', child: id }));
      } else entry.push(...kind.started);
    }
    for (const [delay, transitions] of Object.entries(config.after ?? {})) {
      const type = `xstate.after.${Number.isNaN(+delay) ? delay : +delay}.${node.id}`;
      add(type, transitions);
      this.noteFunction(this.machine.implementations.delays[delay]);
      this.spontaneous.push({ type, node: node.id });
    }
    this.noteFunction(config.output);
    const states = Object.entries(config.states ?? {}).map(([key, inner]) => [key, this.state(inner, node.states[key])]);
    const { initial } = config;
    const rewritten = {
      id: node.id,
      type: config.type,
      history: config.history,
      target: config.target,
      initial: typeof initial === 'object' ? { target: initial.target, actions: this.actions(initial.actions) } : initial,
      entry,
      exit,
      on,
      always: this.transitions(config.always ?? []),
      onDone: config.onDone === undefined ? undefined : this.transitions(config.onDone),
      states: states.length > 0 ? Object.fromEntries(states) : undefined,
    };
    if (rewritten.always.length === 0) delete rewritten.always;
    return Object.fromEntries(Object.entries(rewritten).filter(([, value]) => value !== undefined));
  }

  transitions(written) {
    const each = Array.isArray(written) ? written : [written];
    return each.map((one) => {
      const { target, reenter, guard, actions } = one === undefined || typeof one === 'string' ? { target: one } : one;
      if (list(target).some((to) => typeof to !== 'string')) throw this.unseen('a target is not a string');
      if (guard !== undefined) this.mayFail = true;
      const choices = guard === undefined ? 1 : 2;
      return { target, reenter, actions: this.actions(actions), guard: () => this.oracle.pick(choices) === 0 };
    });
  }

  /** An action that leaves a mark. */
  mark(effect) {
    const marked = () => {};
    marked.effect = effect;
    return marked;
  }

  /** An action that is one of several lists of actions. */
  choice(lists) {
    if (lists.length === 1) return lists[0];
    const chosen = () => {};
    chosen.resolve = (_scope, snapshot) => [snapshot, undefined, lists[this.oracle.pick(lists.length)]];
    return [chosen];
  }

  actions(written) {
    return list(written).flatMap((one) => this.action(one));
  }

  action(written) {
    // The name of a function that stands in the machine itself is that of its key: it says nothing.
    const name = typeof written === 'function' ? undefined : typeof written === 'string' ? written : written?.type;
    const action = typeof written === 'function' ? written : this.machine.implementations.actions[name];
    if (typeof action !== 'function') return this.opaque(name, `the action '${name}' has no implementation here`);
    switch ('resolve' in action ? action.type : 'function') {
      case 'function':
        if (isEmpty(action)) return [];
        return this.opaque(name, `${name ? `the action '${name}'` : 'an action'} is a function: what it sends cannot be seen`);
      case 'xstate.assign':
        this.noteFunction(action.assignment);
        for (const one of typeof action.assignment === 'function' ? [action.assignment] : Object.values(action.assignment)) {
          onlyData(one, ['context', 'event'], `${this.path}: assign`);
        }
        return [];
      case 'xstate.cancel':
      case 'xstate.log':
      case 'xstate.emit':
        this.mayFail = true;
        return [];
      case 'xstate.raise':
        return this.send(action, SELF, (types) => this.raised(types));
      case 'xstate.sendTo': {
        const to = this.target(action.to);
        return this.send(action, to, (types) => this.sent(to, types));
      }
      case 'xstate.spawnChild':
        return this.spawned(action);
      case 'xstate.stopChild': {
        const id = typeof action.actorRef === 'string' ? action.actorRef : undefined;
        if (id === undefined) throw this.unseen('the actor that stopChild stops is computed');
        return [this.mark({ kind: 'stop', child: id })];
      }
      case 'xstate.enqueueActions':
        return this.enqueued(action);
      default:
        throw this.unseen(`the action ${action.type} is not known`);
    }
  }

  opaque(name, complaint) {
    const { silent } = this.options;
    this.mayFail = true;
    if (silent === true || (Array.isArray(silent) && name && silent.includes(name))) return [];
    throw this.unseen(`${complaint}; if it sends nothing, name it in the option 'silent'`);
  }

  /** What raise and sendTo have in common: events and delays. */
  send({ event, delay }, to, now) {
    this.noteFunction(event);
    this.noteFunction(delay);
    const types = eventTypes(event);
    if (Array.isArray(types)) types.forEach((type) => this.names.add(type));
    if (delay === undefined) return now(types);
    const resolved = typeof delay === 'string' ? this.machine.implementations.delays[delay] : delay;
    this.delayed.push({ to, types });
    return typeof resolved === 'number' ? [] : this.choice([[], now(types)]);
  }

  raised(types) {
    const raise = () => {};
    raise.resolve = (_scope, snapshot, { event }, _params, _action, { internalQueue }) => {
      const all = types === 'any' ? [...this.accepted()] : types === 'current' ? [event.type] : types;
      internalQueue.push({ type: all[this.oracle.pick(all.length)] });
      return [snapshot, undefined, undefined];
    };
    return [raise];
  }

  sent(to, types) {
    if (types !== 'current') return [this.mark({ kind: 'send', to, types })];
    const forward = () => {};
    forward.resolve = (_scope, snapshot, { event }) => [snapshot, undefined, [this.mark({ kind: 'send', to, types: [event.type] })]];
    return [forward];
  }

  /** The events that make a difference: those with transitions, and any other. */
  accepted() {
    const names = [...this.names].filter((name) => !name.includes('*') && this.hasTransition(name));
    return new Set([...names, ...this.options.universe, OTHER]);
  }

  hasTransition(name) {
    return [...this.copy.idMap.values()].some((node) => node.transitions.has(name));
  }

  target(to) {
    let found = to;
    if (typeof to === 'function') {
      const asked = [];
      let asksParent = false;
      const system = new Proxy({}, {
        get: (_, key) => {
          if (key !== 'get') throw this.unseen(`a target is computed from system.${String(key)}`);
          return (name) => {
            asked.push(name);
            return { kind: 'system', name };
          };
        },
      });
      const self = new Proxy({}, {
        get: (_, key) => {
          if (key !== '_parent') throw this.unseen(`a target is computed from self.${String(key)}`);
          asksParent = true;
          return this.isRoot ? undefined : PARENT;
        },
      });
      const data = hidden(`${this.path}: a target of sendTo is computed from data`);
      found = to({ context: data, event: data, self, system }, data);
      if (!found && asked.length === 0 && !(this.isRoot && asksParent)) throw this.unseen('a target of sendTo is a function that gives none');
      if (asked.length > 1) throw this.unseen('a target of sendTo is one of several actors of the system');
      if (found === self) found = SELF;
    }
    if (found === undefined || found === null || found === '' || found === '#_internal') return SELF;
    if (found === '#_parent') return PARENT;
    if (typeof found === 'string') {
      this.mayFail = true;
      return { kind: 'child', id: found.startsWith('#_') ? found.slice(2) : found };
    }
    if (found === SELF || found === PARENT || found.kind === 'system') return found;
    throw this.unseen('a target of sendTo is an actor that is not of this system');
  }

  spawned({ src, id, systemId, syncSnapshot, input }) {
    if (typeof id === 'function') throw this.unseen('the id of a spawned actor is computed');
    if (syncSnapshot) throw this.unseen('snapshots of a spawned actor are sent to its parent');
    this.noteFunction(input);
    const name = id ?? `(spawned ${this.children.size})`;
    const kind = this.child(name, src, systemId, undefined);
    return kind !== 'machine' ? kind.started : [this.mark({ kind: 'start', child: name })];
  }

  /** Notes an actor that the machine can have: 'machine', or a promise with what its start does. */
  child(id, src, systemId, node) {
    const name = typeof src === 'string' ? src : undefined;
    const logic = name === undefined ? src : this.options.children[name] ?? this.machine.implementations.actors[name];
    if (isPromise(logic)) {
      const { silent } = this.options;
      const isSilent = silent === true || (Array.isArray(silent) && silent.includes(name ?? id)) || isEmpty(logic.config);
      if (!isSilent) throw this.unseen(`the promise '${name ?? id}' is a function: what it sends cannot be seen; if it sends nothing, name it in the option 'silent'`);
      const error = `xstate.error.actor.${id}`;
      for (const type of [`xstate.done.actor.${id}`, error]) this.spontaneous.push({ type, node });
      // A function that is not async may throw at once, while the parent is still at work.
      const isAsync = logic.config.constructor.name === 'AsyncFunction';
      return { started: isAsync ? [] : this.choice([[], [this.mark({ kind: 'send', to: SELF, types: [error] })]]) };
    }
    if (logic === undefined) throw this.unseen(`the actor '${name}' is not known; give its machine in the option 'children'`);
    if (!isMachine(logic)) throw this.unseen(`the actor '${name ?? id}' is no machine: what it sends cannot be seen`);
    const known = this.children.get(id);
    if (known && known.logic !== logic) throw this.unseen(`two actors have the id '${id}'`);
    if (known && known.systemId !== systemId) throw this.unseen(`'${id}' has a systemId in one place and not in another`);
    this.children.set(id, { logic, systemId });
    return 'machine';
  }

  enqueued({ collect }) {
    this.mayFail = true;
    const data = hidden(`${this.path}: what enqueueActions does depends on data`);
    const lists = new Oracle();
    const ways = lists.ways(() => {
      const queued = [];
      const enqueue = (action) => void queued.push(action);
      const put = (make) => (...args) => void queued.push(make(...args));
      Object.assign(enqueue, {
        assign: put(assign), cancel: put(cancel), emit: put(emit), raise: put(raise), sendTo: put(sendTo),
        spawnChild: put(spawnChild), stopChild: put(stopChild),
        sendParent: put((event, options) => sendTo('#_parent', event, options)),
      });
      collect({ context: data, event: data, self: data, system: data, enqueue, check: () => lists.pick(2) === 0 }, data);
      return queued;
    });
    return this.choice(ways.map((queued) => this.actions(queued)));
  }

  scope(record) {
    const nothing = () => {};
    return {
      self: {}, id: '', sessionId: '', logger: nothing, defer: nothing, emit: nothing, stopChild: nothing,
      system: { _sendInspectionEvent: nothing, _unregister: nothing },
      actionExecutor: ({ exec }) => record.push(exec.effect),
    };
  }

  /** All that can come of a step: marks and the snapshot after it, each once. */
  outcomes(step) {
    const found = new Map();
    for (const { effects, snapshot } of this.oracle.ways(() => {
      const marks = [];
      const snapshot = step(this.scope(marks));
      return { effects: withoutUnstarted(snapshot.status === 'done' ? stoppedAtTheEnd(marks) : marks), snapshot };
    })) {
      const outcome = { effects, snapshot, to: keyOf(snapshot) };
      found.set(JSON.stringify([effects, outcome.to]), outcome);
    }
    return [...found.values()];
  }

  /** The configurations, each with the outcomes of every event of `types`. */
  explore(types) {
    const initial = this.outcomes((scope) => this.copy.getInitialSnapshot(scope, undefined));
    for (const outcome of initial) outcome.effects = inTheBeginning(outcome);
    const configurations = new Map();
    const open = [];
    const reach = ({ to, snapshot }) => {
      if (configurations.has(to) || snapshot.status !== 'active') return;
      configurations.set(to, { key: to, snapshot, nodes: new Set(snapshot._nodes.map((node) => node.id)), steps: new Map() });
      open.push(configurations.get(to));
      if (configurations.size > MOST_CONFIGURATIONS) throw this.unseen('there are too many configurations');
    };
    initial.forEach(reach);
    for (let one = open.pop(); one; one = open.pop()) {
      for (const type of types) {
        const outcomes = this.outcomes((scope) => this.copy.transition(one.snapshot, { type }, scope));
        one.steps.set(type, outcomes);
        outcomes.forEach(reach);
      }
    }
    return { initial, configurations };
  }
}

/** A machine that comes to its end stops its children, those too that the step would start. */
function stoppedAtTheEnd(effects) {
  const started = effects.filter(({ kind }) => kind === 'start');
  return [...effects, ...started.map(({ child }) => ({ kind: 'stop', child }))];
}

/** When an actor is started, its children are started first, in the order of their ids' object. */
function inTheBeginning({ effects, snapshot }) {
  if (snapshot.status === 'error') return [];
  const started = new Map(effects.filter(({ kind }) => kind === 'start').map((effect) => [effect.child, effect]));
  const order = Object.keys(Object.fromEntries(started));
  if (snapshot.status !== 'active') return effects;
  return [...order.map((id) => started.get(id)), ...effects.filter(({ kind }) => kind !== 'start')];
}

/** An actor that is stopped in the step that would start it is never started. */
function withoutUnstarted(effects) {
  const kept = [...effects];
  for (let stop = 0; stop < kept.length; stop++) {
    if (kept[stop].kind !== 'stop') continue;
    const { child } = kept[stop];
    const start = kept.slice(0, stop).findLastIndex((effect) => effect.kind === 'start' && effect.child === child);
    if (start < 0) continue;
    const between = kept.slice(start + 1, stop).filter((effect) => !(effect.to?.kind === 'child' && effect.to.id === child));
    kept.splice(start, stop - start + 1, ...between);
    stop = start + between.length - 1;
  }
  return kept;
}

function keyOf({ value, historyValue, status }) {
  const history = Object.entries(historyValue ?? {}).map(([id, nodes]) => [id, nodes.map((node) => node.id).sort()]);
  return JSON.stringify([value, history.sort(), status]);
}

export { OTHER };
