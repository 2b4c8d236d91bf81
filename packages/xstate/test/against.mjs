// Random machines, run by XState itself: each step is one of the extracted system, and no proved
// bound is exceeded.
import { check } from '../src/index.mjs';
import { Model } from './model.mjs';
import { choices, randomMachine } from './random.mjs';
import { World } from './world.mjs';

export const OPTIONS = { silent: ['quiet', 'ghost'], pure: true, limit: 400 };
const SHAPES = [
  {},
  { guards: 0.1, timers: 0, computed: 0 },
  { timers: 0.4, depth: 1 },
  { sends: 0.7, children: 1, depth: 3 },
  { finals: 0.4, guards: 0.1, sends: 0.3 },
  { parallel: 0.8, always: 0.4, children: 1, sends: 0.6, depth: 3 },
  { parallel: 0.6, always: 0.1, children: 0, guards: 0.2, timers: 0, depth: 3 },
];

/** The machine of a seed and what outsiders may send; with a reason, if the machine is refused. */
export function caseOf(xstate, seed) {
  const random = choices(seed * 7 + 3);
  const machine = randomMachine(xstate, seed, SHAPES[seed % SHAPES.length]);
  const environment = random.chance(0.5) ? { m: ['A', 'a.x'].slice(0, 1 + random.below(2)) } : {};
  try {
    const model = new Model(machine, { environment });
    return { machine, runs: provided(xstate, machine, seed), environment, random, model };
  } catch (error) {
    if (error.name !== 'Refusal') throw error;
    return { refused: error.what };
  }
}

/** The machine that is run: an action that the system knows nothing of may assign. */
function provided(xstate, machine, seed) {
  if (seed % 2) return machine;
  const made = machine.provide({ actions: { ghost: xstate.assign({ n: 7 }) } });
  if (made.options) made.options.maxIterations = 2000;
  return made;
}

/** Runs of a case, until one objects; the longest that mailboxes were. */
export function runsOf(xstate, { machine, runs: runnable = machine, environment, random, model }, runs, steps) {
  const longest = new Map();
  const objections = [];
  let count = 0;
  for (let run = 0; run < runs && !objections.length; run += 1) {
    const told = (step) => {
      count += 1;
      const objection = step.after === 'stopped' ? undefined : model.objection(step);
      if (objection) objections.push(objection);
    };
    const world = worldOf(xstate, runnable, { random, nested: [0, 0.5, 0, 1, 0.9][run % 5], told }, (found) => {
      for (let step = 0; step < steps && !objections.length && found.step(environment); step += 1);
    });
    for (const [name, length] of world.longest) longest.set(name, Math.max(length, longest.get(name) ?? 0));
  }
  return { longest, objections, steps: count };
}

/**
 * A run, as far as it goes: guards that are coins may keep `always` going for very long, which
 * XState ends.
 */
function worldOf(xstate, machine, options, run) {
  let world = { longest: new Map() };
  try {
    world = new World(xstate, machine, options);
    run(world);
  } catch (error) {
    if (!String(error?.message).startsWith('Infinite loop detected')) throw error;
  }
  return world;
}

/** What is proved of a case, held against how long its mailboxes were. */
export async function provedOf({ machine, environment }, longest, wasm) {
  const { verdict, mailboxes, approximations } = await check(machine, { ...OPTIONS, environment, wasm, timeLimit: 3000 });
  const bounded = Object.entries(mailboxes).filter((entry) => entry[1].verdict === 'bounded');
  const wrong = bounded.filter(([name, { bound }]) => (longest.get(name) ?? 0) > bound);
  const attained = bounded.filter(([name, { bound }]) => bound > 0 && (longest.get(name) ?? 0) === bound);
  return { verdict, approximations, bounded: bounded.length, attained: attained.length, wrong: wrong.map(([name, { bound }]) => `${name} has ${longest.get(name)}, not ${bound}`) };
}

/**
 * Whether XState's own actors follow a run that is shown, and its loop again and again, and a
 * mailbox grows each time.
 */
export function isFollowed(xstate, machine, { prefix, loop }) {
  const world = new World(xstate, machine, { random: choices(1), nested: 0, told: () => undefined });
  const total = () => world.actors.reduce((sum, { queue }) => sum + queue.length, 0);
  const follow = (steps) => steps.filter(({ takes }) => takes).every(({ actor, takes }) => {
    const entry = world.actors.find(({ name }) => name === actor);
    if (entry?.queue[0]?.type !== takes.event) return false;
    world.take(entry);
    return true;
  });
  const lengths = [];
  for (let round = 0; round < 5; round += 1) {
    if (!follow(round ? loop : prefix)) return false;
    lengths.push(total());
  }
  return lengths.every((length, round) => round === 0 || length > lengths[round - 1]);
}
