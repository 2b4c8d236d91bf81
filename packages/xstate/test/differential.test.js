// The machines of the tests in XState itself, with events and time from outside at random: no mailbox is
// ever longer than proved. Of some, the bound is met, so that it is no idle number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, SimulatedClock } from 'xstate';
import { check } from '../src/index.js';
import { chance, machines } from './machines.js';

const RUNS = 40;
const EVENTS = 60;

/** Numbers below a limit, the same for the same seed (mulberry32). */
function random(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const pathOf = (actor, root) => (actor._parent ? `${pathOf(actor._parent, root)}.${actor.id}` : root);

/** Events behind the one that is processed; before its start an actor processes none. */
function waiting(actor) {
  let length = 0;
  const { mailbox } = actor;
  for (let one = mailbox._active ? mailbox._current?.next : mailbox._current; one; one = one.next) length++;
  return length;
}

/** True between events, and before the start and after the end. */
const isIdle = ({ mailbox, _processingStatus }) => _processingStatus !== 1 || (mailbox._active && !mailbox._current);

/** One run; returns the greatest length of each mailbox. */
async function run(machine, options, seed) {
  const pick = random(seed);
  chance.next = () => pick(2) === 0;
  const longest = {};
  const clock = new SimulatedClock();
  const actors = new Set();
  const inspect = ({ type, actorRef, event }) => {
    actors.add(actorRef);
    if (type !== '@xstate.event' || event.type === 'xstate.init' || event.type === 'xstate.stop') return;
    // The event is about to be put there. What comes when all is quiet is taken at once.
    if (!actorRef.logic.root || [...actors].every(isIdle)) return;
    const path = pathOf(actorRef, machine.id);
    longest[path] = Math.max(longest[path] ?? 0, waiting(actorRef) + 1);
  };
  const root = createActor(options.children ? machine.provide({ actors: options.children }) : machine, { clock, inspect, logger: () => {} });
  root.subscribe({ error: () => {} });
  root.start();
  const types = [...machine.events.filter((type) => !type.startsWith('xstate.') && !type.includes('*')), 'NEVER-HEARD'];
  for (let i = 0; i < EVENTS; i++) {
    const choice = pick(10);
    if (choice === 0) clock.increment(pick(1500));
    else if (choice === 1) await new Promise((resolve) => setImmediate(resolve));
    else root.send({ type: types[pick(types.length)] });
  }
  root.stop();
  return longest;
}

let met = 0;
for (const { name, machine, options = {}, endless, expect } of machines.filter((one) => one.expect.verdict === 'bounded')) {
  if (endless) continue;
  test(`${name} keeps to its bounds`, async () => {
    const { mailboxes } = await check(machine, options);
    const longest = {};
    for (let seed = 1; seed <= RUNS; seed++) {
      for (const [path, length] of Object.entries(await run(machine, options, seed))) {
        assert.ok(mailboxes[path], `${path} is no actor of the proof`);
        assert.ok(length <= mailboxes[path].bound, `${path}: ${length} wait, at most ${mailboxes[path].bound} are proved (seed ${seed})`);
        longest[path] = Math.max(longest[path] ?? 0, length);
      }
    }
    if (Object.entries(expect.bounds).some(([path, bound]) => bound > 0 && longest[path] === bound)) met += 1;
  });
}

test('bounds are met', () => assert.ok(met >= 8, `${met} only`));
