// All that a machine can do with a message: the states in which it waits for one, and what it sends
// on the way between.
import { ANY } from './actions.mjs';
import { refuse } from './refusal.mjs';
import { eventless, selections } from './select.mjs';
import { firstStep, microstep, withoutConflicts } from './step.mjs';

export const INIT = 'xstate.init';
const TOGETHER = 64;

/** A number for each thing that is met, by a key that says all of it; and the things themselves. */
function numbered(limit, message) {
  const numbers = new Map();
  const things = [];
  return {
    things,
    of(key, make) {
      if (!numbers.has(key)) {
        if (things.length >= limit) message();
        numbers.set(key, things.length);
        things.push(make());
      }
      return numbers.get(key);
    },
  };
}

/**
 * The behaviour of a machine: positions at rest and on the way, and for each what may follow. A
 * follower is a list of messages that are sent in order, and the number of a position. `taken` are
 * the types of events that may come in its mailbox, `free` those that may come from outside, `own`
 * those that it tells apart.
 */
export function behaviour(machine, { taken, free, own }, limit) {
  const tooMany = () => refuse(machine.root.where, `there are more than ${limit} combinations of states`, 'split the machine into several, or raise `limit`');
  const positions = numbered(limit, tooMany);
  const place = (position) => positions.of(keyOf(position), () => position);
  const follow = (position) => followers(machine, position, own).map(({ sent, to }) => ({ sent, to: place(to) }));
  const steps = [];
  const stepsOf = (at) => (steps[at] ??= follow(positions.things[at]));
  const { fresh, settled } = settling(positions, stepsOf);
  const begin = atOnce(firstStep(machine)).map(({ sent, to }) => ({ sent, to: place(to) }));
  const start = begin.flatMap(settled);
  const answers = new Map();
  const open = fresh(start);
  for (const at of open) {
    const rest = positions.things[at];
    if (rest.isDone) continue;
    const answer = (type) => distinct(react(machine, rest, type).map(({ sent, to }) => ({ sent, to: place(to) })).flatMap(settled));
    const timers = [...rest.armed].map((timer) => ({ timer, to: place(disarmed(rest, timer)) }));
    const all = (types) => new Map(types.map((type) => [type, answer(type)]));
    const found = { taken: all(taken), free: all(free), timers };
    answers.set(at, found);
    open.push(...fresh([...found.taken.values(), ...found.free.values(), timers].flat()));
  }
  insistOnRest(machine, positions.things, steps);
  const onward = (at) => distinct(stepsOf(at).flatMap(settled));
  return { positions: positions.things, start, answers, onward };
}

function disarmed(rest, timer) {
  return { ...rest, armed: new Set([...rest.armed].filter((other) => other !== timer)) };
}

/**
 * What is known of positions on the way: those from which the rest is near are left out of the
 * system.
 */
function settling(positions, stepsOf) {
  const known = new Map();
  const seen = new Set();
  /** All that follows up to rest, or nothing if that is too much, or goes round. */
  const outcomes = (at) => {
    if (positions.things[at].atRest) return [{ sent: [], to: at }];
    if (known.has(at)) return known.get(at);
    known.set(at, undefined);
    let all = [];
    for (const { sent, to } of stepsOf(at)) {
      const inner = all && outcomes(to);
      all = inner && distinct([...all, ...inner.map((more) => ({ sent: [...sent, ...more.sent], to: more.to }))]);
      if (all && all.length > TOGETHER) all = undefined;
    }
    known.set(at, all);
    return all;
  };
  const settled = ({ sent, to }) => (outcomes(to) ?? [{ sent: [], to }]).map((more) => ({ sent: [...sent, ...more.sent], to: more.to }));
  /** Positions at rest that are met for the first time, by way of those that stay in the system. */
  const fresh = (steps) => {
    const found = [];
    const open = steps.map(({ to }) => to);
    while (open.length) {
      const at = open.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      if (positions.things[at].atRest) found.push(at);
      else open.push(...stepsOf(at).map(({ to }) => to));
    }
    return found;
  };
  return { settled, fresh };
}

function distinct(steps) {
  const found = new Map();
  for (const step of steps) found.set(JSON.stringify([step.sent, step.to]), step);
  return [...found.values()];
}

/** A step that XState may make a new snapshot of, or not: both. */
function atOnce(result) {
  const { nodes, armed, queue, isDone, sent } = result;
  if (isDone) return [{ sent, to: { nodes: [], armed: new Set(), queue: [], asks: false, isDone, atRest: true } }];
  const answers = { yes: [true], no: [false], maybe: [true, false] }[result.asks ?? 'yes'];
  const maybe = answers.length > 1;
  return answers.map((asks) => ({ sent, to: { nodes, armed, queue, asks, isDone, maybe, atRest: false } }));
}

/**
 * An event taken from the mailbox: the first microstep, after which transitions without an event
 * are asked.
 */
function react(machine, rest, type) {
  const chosen = type === INIT ? [[]] : selections(machine.root, rest.nodes, type);
  return chosen.flatMap((transitions) => atOnce(microstep(machine, { ...rest, queue: [] }, transitions)));
}

/**
 * What follows a position on the way: transitions without an event, else an event of one's own,
 * else rest.
 */
function followers(machine, position, own) {
  const { nodes, asks, queue } = position;
  const active = new Set(nodes);
  const all = asks ? eventless(nodes).map((list) => withoutConflicts(list, active)) : [[]];
  return distinctLists(all).flatMap((transitions) => {
    if (transitions.length) {
      const result = microstep(machine, position, transitions);
      return atOnce({ ...result, asks: result.changed });
    }
    if (!queue.length) return [{ sent: [], to: { ...position, asks: false, maybe: false, atRest: true } }];
    const [event, ...rest] = queue;
    const types = event === ANY ? own : [event];
    const chosen = types.flatMap((type) => selections(machine.root, nodes, type));
    return distinctLists(chosen).flatMap((list) => atOnce(microstep(machine, { ...position, queue: rest }, list)));
  });
}

const transitionIds = new WeakMap();
let lastId = 0;

function idOf(transition) {
  if (!transitionIds.has(transition)) transitionIds.set(transition, (lastId += 1));
  return transitionIds.get(transition);
}

function distinctLists(lists) {
  return [...new Map(lists.map((list) => [list.map(idOf).join(), list])).values()];
}

function keyOf({ nodes, armed, queue, asks, isDone, maybe = false, atRest }) {
  const timers = [...armed].map(({ index }) => index).sort((a, b) => a - b);
  return JSON.stringify([nodes.map(({ index }) => index), timers, queue, asks, isDone, maybe, atRest]);
}

/** A position from which no way leads to rest: `always` or `raise` go round for ever. */
function insistOnRest(machine, things, steps) {
  const before = things.map(() => []);
  steps.forEach((list, from) => list.forEach(({ to }) => before[to].push(from)));
  const good = new Set(things.flatMap(({ atRest }, at) => (atRest ? [at] : [])));
  for (const at of good) before[at].forEach((from) => good.add(from));
  const bad = things.findIndex((_, at) => steps[at] && !good.has(at));
  if (bad < 0) return;
  const [node] = things[bad].nodes.filter(({ children }) => !children.length);
  refuse((node ?? machine.root).where, 'the machine never comes to rest here: `always` or `raise` go round for ever', 'give the transition a guard');
}
