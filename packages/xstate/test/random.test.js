// Machines made at random: where a bound is proved, no mailbox is ever longer in XState.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine, enqueueActions, forwardTo, raise, sendParent, sendTo, spawnChild, stopChild } from 'xstate';
import { check } from '../src/index.js';
import { chance } from './machines.js';
import { random, run } from './run.js';

const CASES = Number(process.env.CASES ?? 20);
const RUNS = 12;
const EVENTS = ['A', 'B', 'C'];

/** A machine with some states; `depth` levels of children below it. */
function machineOf(pick, id, depth, isRoot, hasNames) {
  const kids = depth > 0 ? Array.from({ length: 1 + pick(2) }, (_, at) => `${id}${at}`) : [];
  const logics = new Map(kids.map((kid) => [kid, machineOf(pick, kid, depth - 1, false, hasNames)]));
  // The first child mostly lives as long as its parent, so that messages to it do not make the parent fail.
  const isSteady = pick(4) > 0;
  const event = () => ({ type: EVENTS[pick(EVENTS.length)] });
  const perhaps = () => chance.next();
  const names = kids;
  const named = (kid) => (hasNames ? { systemId: kid } : {});

  const action = (mayRaise) => {
    const kid = kids[isSteady ? 0 : pick(Math.max(kids.length, 1))];
    const chosen = event();
    switch (pick(12)) {
      case 0: return sendTo(({ self }) => self, chosen);
      case 1: return mayRaise ? raise({ type: 'R' }) : [];
      case 2:
      case 3: return isRoot ? [] : sendParent(chosen);
      case 4:
      case 5:
      case 6: return kid ? sendTo(kid, chosen) : [];
      case 7: return kid ? forwardTo(kid) : [];
      case 8: return sendTo(({ self }) => self, chosen, { delay: 100 });
      case 9: return enqueueActions(({ enqueue, check }) => { if (check(perhaps)) enqueue.emit({ type: 'R' }); else enqueue.sendTo(({ self }) => self, chosen); });
      case 10: {
        if (names.length === 0 || !hasNames) return [];
        const name = names[pick(names.length)];
        return sendTo(({ system }) => system.get(name), chosen);
      }
      default: return kid && !isSteady ? [stopChild(kid), spawnChild(logics.get(kid), { id: kid, ...named(kid) })] : [];
    }
  };
  const actions = (most, mayRaise = false) => Array.from({ length: pick(most + 1) }, () => action(mayRaise)).flat();
  const states = ['s0', 's1', 's2'];
  const transition = (mayRaise = false) => ({
    ...(pick(3) === 0 ? {} : { target: states[pick(3)] }),
    ...(pick(4) === 0 ? { guard: perhaps } : {}),
    ...(pick(4) === 0 ? { reenter: true } : {}),
    actions: actions(3, mayRaise),
  });
  const state = (at) => ({
    entry: pick(3) === 0 ? actions(1) : [],
    exit: pick(4) === 0 ? actions(1) : [],
    on: Object.fromEntries([...EVENTS, 'R'].filter(() => pick(2) === 0).map((type) => [type, transition(type !== 'R')])),
    ...(pick(5) === 0 ? { after: { 50: transition() } } : {}),
    ...(at === 0 && pick(3) === 0 ? { always: { guard: perhaps, target: 's1' } } : {}),
    ...(kids.length > 0 && !isSteady && pick(2) === 0 ? { invoke: { id: kids[0], src: logics.get(kids[0]), ...named(kids[0]), ...(pick(2) === 0 ? { onDone: transition(), onError: transition() } : {}) } } : {}),
  });
  const last = pick(6) === 0 ? { type: 'final' } : state(2);
  const invoke = isSteady && kids[0] ? { invoke: { id: kids[0], src: logics.get(kids[0]), ...named(kids[0]) } } : {};
  return createMachine({ id, ...invoke, initial: 's0', states: { s0: state(0), s1: state(1), s2: last }, entry: kids[1] && pick(2) === 0 ? spawnChild(logics.get(kids[1]), { id: kids[1], ...named(kids[1]) }) : [] });
}

test(`${CASES} machines at random keep to what is proved of them`, async (context) => {
  const counts = { bounded: 0, unbounded: 0, unknown: 0 };
  let met = 0;
  for (let seed = 1; seed <= CASES; seed++) {
    const pick = random(seed * 7919);
    const machine = machineOf(pick, 'm', 1 + pick(2), true, pick(3) === 0);
    const { verdict, mailboxes } = await check(machine, { maxStates: 20_000, timeLimit: 2_000 });
    counts[verdict] += 1;
    if (verdict !== 'bounded') continue;
    const longest = {};
    for (let one = 1; one <= RUNS; one++) {
      for (const [path, length] of Object.entries(await run(machine, {}, one))) {
        assert.ok(length <= mailboxes[path]?.bound, `machine ${seed}, run ${one}: ${length} wait for ${path}, at most ${mailboxes[path]?.bound} are proved`);
        longest[path] = Math.max(longest[path] ?? 0, length);
      }
    }
    if (Object.entries(longest).some(([path, length]) => length > 1 && length === mailboxes[path].bound)) met += 1;
  }
  context.diagnostic(`${JSON.stringify(counts)}, bounds above 1 met by ${met}`);
  assert.ok(counts.bounded * 3 >= CASES && met > 0, JSON.stringify(counts));
});
