// One microstep, as XState makes it: what is left, what is entered, which actions run in which
// order.
import { refuse } from './refusal.mjs';

const RAISED = 32;

function isBelow(node, ancestor) {
  for (let at = node.parent; at; at = at.parent) if (at === ancestor) return true;
  return ancestor === undefined;
}

function between(node, end) {
  const found = [];
  for (let at = node === end ? undefined : node.parent; at && at !== end; at = at.parent) found.push(at);
  return found;
}

/**
 * The state below which a transition leaves and enters states; undefined: the root is left itself.
 */
function domainOf({ source, targets, reenter }) {
  if (!reenter && targets.every((target) => target === source || isBelow(target, source))) return source;
  const [head, ...tail] = [...targets, source];
  const common = between(head, undefined).find((node) => tail.every((other) => isBelow(other, node)));
  if (common) return common;
  return reenter ? undefined : rootOf(source);
}

function rootOf(node) {
  return node.parent ? rootOf(node.parent) : node;
}

function exitsOf(transitions, active) {
  const found = new Set();
  for (const transition of transitions) {
    if (transition.targets.length === 0) continue;
    const domain = domainOf(transition);
    if (transition.reenter && transition.source === domain) found.add(domain);
    for (const node of active) if (isBelow(node, domain)) found.add(node);
  }
  return found;
}

/**
 * Of two transitions that leave a common state, the one further inside goes first, else the earlier
 * one.
 */
export function withoutConflicts(transitions, active) {
  const kept = new Set();
  for (const one of transitions) {
    const exits = exitsOf([one], active);
    const against = [...kept].filter((other) => [...exitsOf([other], active)].some((node) => exits.has(node)));
    const outer = against.findIndex((other) => !isBelow(one.source, other.source));
    if (outer >= 0) continue;
    for (const other of against) kept.delete(other);
    kept.add(one);
  }
  return [...kept];
}

function entriesOf(transitions) {
  const entered = new Set();
  for (const { source, targets, reenter } of transitions) {
    const domain = domainOf({ source, targets, reenter });
    for (const target of targets) {
      if (source !== target || source !== domain || reenter) entered.add(target);
      enterBelow(target, entered);
    }
    for (const target of targets) {
      const above = between(target, domain);
      if (domain?.type === 'parallel') above.push(domain);
      enterAbove(above, entered, !source.parent && reenter ? undefined : domain);
    }
  }
  return entered;
}

function enterBelow(node, entered) {
  if (node.type === 'compound') {
    entered.add(node.initial);
    enterBelow(node.initial, entered);
  } else if (node.type === 'parallel') enterRegions(node, entered);
}

function enterRegions(node, entered) {
  for (const region of node.children) {
    if ([...entered].some((other) => isBelow(other, region))) continue;
    entered.add(region);
    enterBelow(region, entered);
  }
}

function enterAbove(above, entered, domain) {
  for (const node of above) {
    if (domain === undefined || isBelow(node, domain)) entered.add(node);
    if (node.type === 'parallel') enterRegions(node, entered);
  }
}

function isDone(node, active) {
  if (node.type === 'compound') return node.children.some((child) => child.type === 'final' && active.has(child));
  if (node.type === 'parallel') return node.children.every((child) => isDone(child, active));
  return node.type === 'final';
}

/** Runs actions, for what they do to timers, to events of one's own, and to messages. */
function run(actions, result) {
  for (const { kind, ...action } of actions) {
    if (kind === 'send') result.sent.push({ to: action.to, event: action.event });
    else if (kind === 'raise') raise(action.event, result);
    else if (kind === 'assign') result.changed = 'yes';
    else if (kind === 'hidden' && result.changed === 'no') result.changed = 'maybe';
    else if (kind === 'arm') result.armed.add(action.timer);
    else if (kind === 'disarm') result.armed.delete(action.timer);
  }
}

function raise(event, { queue, where }) {
  queue.push(event);
  if (queue.length > RAISED) refuse(where, `more than ${RAISED} events are raised in one step`, 'events that are raised may go round for ever');
}

const downwards = (a, b) => a.index - b.index;
const upwards = (a, b) => b.index - a.index;

/**
 * What a final state that is entered ends: states around it, each with an event, or the machine.
 */
function complete(node, active, completed, result) {
  const { parent } = node;
  let around = parent.type === 'parallel' ? parent : parent.parent;
  if (parent.type === 'compound') raise(`xstate.done.state.${parent.id}`, result);
  while (around?.type === 'parallel' && !completed.has(around) && isDone(around, active)) {
    completed.add(around);
    raise(`xstate.done.state.${around.id}`, result);
    around = around.parent;
  }
  if (!around) result.isDone = true;
}

/**
 * The state after a microstep. `changed` says whether XState makes a new snapshot of it: after one
 * that makes none, transitions without an event are not asked again.
 */
export function microstep(machine, { nodes, armed, queue }, chosen, isInitial = false) {
  const active = new Set(nodes);
  const transitions = withoutConflicts(chosen, active);
  const result = { nodes, armed: new Set(armed), queue: [...queue], sent: [], changed: 'no', isDone: false, where: machine.root.where };
  if (!isInitial) leave(machine, transitions, active, result);
  run(transitions.flatMap(({ actions }) => actions), result);
  enter(machine, transitions, active, isInitial, result);
  if (result.isDone) run([...active].sort(upwards).flatMap(({ exit }) => exit), result);
  insistOnOrder(active, machine);
  if (active.size !== nodes.length || nodes.some((node) => !active.has(node))) {
    result.nodes = [...active];
    result.changed = 'yes';
  }
  return result;
}

function leave(machine, transitions, active, result) {
  for (const node of [...exitsOf(transitions, active)].sort(upwards)) {
    if (!node.parent && machine.children.length) refuse(node.where, 'the root is left and entered again, which starts its children anew', 'leave out `reenter`');
    run(node.exit, result);
    active.delete(node);
  }
}

function enter(machine, transitions, active, isInitial, result) {
  const completed = new Set();
  for (const node of [...entriesOf(transitions)].sort(downwards)) {
    if (active.has(node) && !isInitial) insistOnHarmless(node, machine);
    active.add(node);
    run(node.entry, result);
    if (node.type === 'final') complete(node, active, completed, result);
  }
}

/**
 * A state that XState enters although it is active runs its entry again, and would start children
 * and timers twice.
 */
function insistOnHarmless(node, { children }) {
  const starts = node.config.after !== undefined || (!node.parent && children.length > 0);
  if (starts) refuse(node.where, 'XState enters this state although it is active already, which starts its children or timers twice', 'write the transitions in another way');
}

/**
 * One active state below each compound one, all below each parallel one, none without the one
 * around it.
 */
function insistOnOrder(active, { root }) {
  for (const node of active) {
    const inside = node.children.filter((child) => active.has(child)).length;
    const fits = { compound: 1, parallel: node.children.length }[node.type] ?? 0;
    if (inside !== fits || (node.parent && !active.has(node.parent))) refuse(node.where, 'XState comes to states here that contradict each other', 'write the transitions in another way');
  }
  if (!active.has(root)) refuse(root.where, 'the root is left');
}

/** The first microstep: the root with all that is entered with it. */
export function firstStep(machine) {
  const all = [machine.root, ...defaults(machine.root)];
  const start = { source: machine.root, targets: all, reenter: true, actions: [] };
  return microstep(machine, { nodes: [machine.root], armed: new Set(), queue: [] }, [start], true);
}

function defaults(node) {
  const inner = node.type === 'compound' ? [node.initial] : node.type === 'parallel' ? node.children : [];
  return inner.flatMap((child) => [child, ...defaults(child)]);
}
