// Machines as a system of `freeboard.system/1`: one class and one buffer for each actor, and one
// message at a time.
import { ANY } from './actions.mjs';
import { INIT, behaviour } from './actor.mjs';
import { outside, read } from './read.mjs';
import { refuse } from './refusal.mjs';

const ACTORS = 64;

/** The tree of actors, from the root down. */
export function actorsOf(machine, options) {
  const actors = [];
  const add = (logic, name, where, parent, id) => {
    if (actors.length >= ACTORS) refuse(where, `there are more than ${ACTORS} actors`, 'a machine may invoke itself');
    const made = read(logic, where, options, parent !== undefined);
    const actor = { index: actors.length, name: name ?? made.id, parent, id, machine: made, children: new Map() };
    if (actors.some((other) => other.name === actor.name)) refuse(where, `two actors are called '${actor.name}'`, 'give the root another `id`');
    actors.push(actor);
    for (const child of made.children) {
      const inner = childOf(child, parent ? undefined : options.children);
      actor.children.set(child.id, add(inner, parent ? `${name}.${child.id}` : child.id, `children.${parent ? `${name}.` : ''}${child.id}`, actor, child.id));
    }
    return actor;
  };
  add(machine, undefined, 'machine', undefined, undefined);
  for (const id of Object.keys(options.children)) {
    if (!actors[0].children.has(id)) refuse(`children.${id}`, 'the root of the machine does not invoke it', `write \`invoke: { id: '${id}', src: ... }\` there`);
  }
  return actors;
}

function childOf({ id, machine, where }, given) {
  const told = given && Object.hasOwn(given, id) ? given[id] : undefined;
  const known = typeof machine === 'string' ? undefined : machine;
  if (told !== undefined && known !== undefined && told !== known) refuse(where, `\`children.${id}\` is another machine than the one that is invoked`);
  return known ?? told ?? refuse(where, `it is not known which machine the child '${id}' is`, `pass it as \`children: { ${JSON.stringify(id)}: machine }\``);
}

/** Who gets a message of an actor. */
function receiver(actor, to) {
  if (to === '#_internal') return actor;
  return to === '#_parent' ? actor.parent : actor.children.get(to);
}

/**
 * One type of events for each way in which a machine tells events apart, XState's own among them.
 */
function classes({ nodes }) {
  const descriptors = [...new Set(nodes.flatMap(({ transitions }) => [...transitions.keys()]))];
  let other = '(any other)';
  while (descriptors.some((one) => one.includes(other))) other += "'";
  const exact = descriptors.filter((one) => !one.includes('*'));
  const partial = descriptors.filter((one) => one.endsWith('.*')).map((one) => `${one.slice(0, -1)}${other}`);
  return [...new Set([...exact, ...partial, other])];
}

/**
 * The types of an event that a function computes: it may hand on the one that XState starts a
 * machine with.
 */
function computed(machine) {
  return [...new Set([...classes(machine), INIT])];
}

/** The types of messages that each actor may find in its mailbox. */
function mailboxes(actors) {
  const found = actors.map(() => new Set());
  for (const actor of actors) {
    for (const { to, event } of actor.machine.sends) {
      const { index, machine } = receiver(actor, to);
      for (const type of event === ANY ? computed(machine) : [event]) found[index].add(type);
    }
    for (const { event } of actor.machine.timers) found[actor.index].add(event);
    if (actor.parent) found[actor.parent.index].add(`xstate.done.actor.${actor.id}`);
  }
  return found.map((types) => [...types]);
}

/** Types of events from outside, for each actor: a list is for the root. */
function environments(actors, environment) {
  const lists = Array.isArray(environment) ? { [actors[0].name]: environment } : environment;
  const unknown = Object.keys(lists).find((name) => !actors.some((actor) => actor.name === name));
  if (unknown !== undefined) refuse(`environment.${unknown}`, 'there is no such actor', `there are ${actors.map(({ name }) => name).join(', ')}`);
  return actors.map(({ name }) => outside(Object.hasOwn(lists, name) ? lists[name] : [], `environment.${name}`));
}

/**
 * The system of the actors, and what was done on the way that adds runs. `together`: messages of
 * one macrostep are sent in one step.
 */
export function systemOf(actors, options, together = false) {
  const types = mailboxes(actors);
  const free = environments(actors, options.environment);
  const system = {
    schema: 'freeboard.system/1', name: actors[0].name, order: 'fifo',
    buffers: actors.map(({ name }) => ({ name, kind: 'queue' })), messages: [], classes: [], states: [], transitions: [],
  };
  const numbers = types.map((list, buffer) => new Map(list.map((name) => [name, system.messages.push({ buffer, name }) - 1])));
  const uses = new Set(actors.flatMap(({ machine }) => [...machine.uses]));
  const keys = [];
  for (const actor of actors) {
    const { index, machine } = actor;
    const made = behaviour(machine, { taken: types[index], free: free[index], own: classes(machine) }, options.limit);
    if (made.positions.some(({ isDone }) => isDone)) uses.add('actors that come to their end');
    if (actor.parent && made.start.some(({ sent }) => sent.length)) uses.add('children that send at their start');
    if (made.positions.some(({ maybe }) => maybe)) uses.add('named actions that may assign');
    keys.push(new ClassWriter(system, actor, made, numbers, { limit: options.limit, together }).write());
  }
  return { system, uses, keys };
}

const TRANSITIONS_PER_STATE = 50;

/**
 * Writes the class of an actor: its positions, and a state for each list of messages that are still
 * to be sent.
 */
class ClassWriter {
  constructor(system, actor, made, numbers, { limit, together }) {
    Object.assign(this, { system, actor, made, numbers, limit, together, states: new Map(), names: new Map(), used: new Set(), open: [] });
  }

  /** The state for a key; `then` writes what leaves it, if it is new. */
  state(key, name, then) {
    const known = this.states.get(key);
    if (known !== undefined) return known;
    let times = this.names.get(name) ?? 0;
    const shown = () => (times ? `${name} (${times + 1})` : name);
    while (this.used.has(shown())) times += 1;
    this.names.set(name, times);
    this.used.add(shown());
    const state = this.system.states.push({ class: this.actor.index, name: shown() }) - 1;
    this.states.set(key, state);
    if (then) this.open.push(() => then(state));
    return state;
  }

  at(to) {
    const position = this.made.positions[to];
    const leave = position.isDone ? this.ending : position.atRest ? this.resting : this.passing;
    return this.state(`at ${to}`, nameOf(position), (state) => leave.call(this, state, to));
  }

  write() {
    const { actor, made } = this;
    const initial = this.state('start', 'start', (state) => made.start.forEach((step) => this.step(state, [], step, 'starts')));
    this.system.classes.push({ name: actor.name, instances: 1, initial });
    while (this.open.length) this.open.pop()();
    return { states: this.states, positions: made.positions };
  }

  resting(state, at) {
    const { taken, free, timers } = this.made.answers.get(at);
    for (const [type, steps] of taken) {
      for (const step of steps) this.step(state, [this.event('receive', this.actor, type)], step, `takes ${type}`);
    }
    for (const [type, steps] of free) {
      for (const step of steps) this.step(state, [], step, `takes ${type} from outside`);
    }
    for (const { timer, to } of timers) this.transition(state, this.at(to), [this.event('send', this.actor, timer.event)], 'timer');
  }

  passing(state, at) {
    for (const step of this.made.onward(at)) this.step(state, [], step, 'goes on');
  }

  ending(state) {
    for (const type of this.numbers[this.actor.index].keys()) this.transition(state, state, [this.event('receive', this.actor, type)], `drops ${type}`);
  }

  /**
   * What is done first, then the messages, the last one to the parent if the actor is done, then
   * the position.
   */
  step(source, before, { sent, to }, text) {
    const { parent, id } = this.actor;
    const last = this.made.positions[to].isDone && parent ? [{ to: '#_parent', event: `xstate.done.actor.${id}` }] : [];
    const all = [...sent, ...last];
    if (!this.together) this.sends(source, before, all, to, text);
    else this.transition(source, this.at(to), [...before, ...all.map((one) => this.event('send', receiver(this.actor, one.to), one.event))], text);
  }

  /** The first message goes with what was done before; a state stands for the rest of the list. */
  sends(source, before, [first, ...rest], to, text) {
    if (!first) return this.transition(source, this.at(to), before, text);
    const target = receiver(this.actor, first.to);
    const types = first.event === ANY ? computed(target.machine) : [first.event];
    const then = (state) => this.sends(state, [], rest, to, 'sends');
    const next = rest.length ? this.state(JSON.stringify([rest, to]), `sends (${rest.length})`, then) : this.at(to);
    for (const type of types) this.transition(source, next, [...before, this.event('send', target, type)], text);
  }

  event(direction, { index }, type) {
    return { direction, message: this.numbers[index].get(type) };
  }

  transition(source, target, events, text) {
    const { transitions } = this.system;
    if (transitions.length >= TRANSITIONS_PER_STATE * this.limit) {
      refuse(this.actor.machine.root.where, 'the system has too many transitions', 'split the machine into several, or raise `limit`');
    }
    transitions.push({ source, target, events, origin: { file: '', line: 0, text } });
  }
}

/** The active states without states below them, and what else tells positions apart. */
function nameOf({ nodes, armed, isDone, atRest }) {
  if (isDone) return 'done';
  const leaves = nodes.filter(({ children }) => !children.length).map(({ path }) => path.split('.').slice(1).join('.') || 'root');
  const timers = armed.size ? ` with ${armed.size} ${armed.size === 1 ? 'timer' : 'timers'}` : '';
  return `${leaves.join(' + ')}${timers}${atRest ? '' : ' (on the way)'}`;
}
