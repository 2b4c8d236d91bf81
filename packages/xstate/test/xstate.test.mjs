// XState's own machines: read as they are, and run by XState beside the system that is made of
// them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { built } from '../../../docs/playground/wasm.mjs';
import { Refusal, check, extract } from '../src/index.mjs';
import { OPTIONS, caseOf, isFollowed, provedOf, runsOf } from './against.mjs';
import { machinesWith } from './machines.mjs';
import { Model } from './model.mjs';
import { choices, randomMachine } from './random.mjs';

const xstate = await import('xstate').catch(() => undefined);
const skip = xstate ? false : 'SKIPPED: xstate is not installed (npm install)';
const wasm = readFileSync(built('dev'));
const LONG = process.env.FREEBOARD_LONG === '1';
const warn = console.warn;

test('machines that XState has made', { skip }, async () => {
  const { createMachine, sendParent, sendTo, setup, assign } = xstate;
  const worker = createMachine({ id: 'worker', on: { job: { actions: sendParent({ type: 'finished' }) } } });
  const boss = setup({ actors: { worker }, actions: { give: sendTo('worker', { type: 'job' }), count: assign({ n: 1 }), tell: () => 1 } }).createMachine({
    id: 'boss', context: { n: 0 }, invoke: { id: 'worker', src: 'worker' }, entry: 'give', on: { finished: { actions: ['count', 'give', 'tell'] } },
  });
  const found = await check(boss, { wasm, silent: ['tell'], pure: true });
  assert.deepEqual(found.mailboxes, { boss: { verdict: 'bounded', bound: 1 }, worker: { verdict: 'bounded', bound: 1 } });
  const twice = boss.provide({ actions: { tell: sendTo('worker', { type: 'job' }) } });
  assert.equal((await check(twice, { wasm, silent: ['tell'], pure: true })).verdict, 'unbounded');
});

test('what XState has besides is refused', { skip }, () => {
  const { and, cancel, createMachine, emit, enqueueActions, fromPromise, spawnChild, stopChild, assign } = xstate;
  const child = createMachine({ id: 'child' });
  const actions = [
    spawnChild(child), stopChild('child'), cancel('x'), emit({ type: 'x' }), enqueueActions(() => {}), assign({ ref: ({ spawn }) => spawn(child) }),
    xstate.sendTo(({ context }) => context.ref, { type: 'x' }), xstate.raise({ type: 'x' }, { delay: 5 }), xstate.sendTo('#_internal', { type: 'x' }, { delay: 5 }),
  ];
  for (const action of actions) assert.throws(() => extract(createMachine({ entry: action }), { pure: true }), Refusal, action.type);
  assert.throws(() => extract(createMachine({ invoke: { id: 'p', src: fromPromise(async () => 1) } }), { pure: true }), Refusal);
  const guarded = createMachine({ on: { x: { guard: and([({ self }) => self]) } } });
  assert.throws(() => extract(guarded, { pure: true }), /`self`/);
});

/** A configuration and those of its children as machines of XState. */
function machineOf(config, children = {}) {
  const { invoke } = config;
  const made = invoke && typeof invoke.src === 'object' ? { ...config, invoke: { ...invoke, src: machineOf(invoke.src) } } : config;
  const actors = Object.fromEntries(Object.entries(children).map(([name, child]) => [name, machineOf(child)]));
  return xstate.createMachine(made, { actors, guards: { always: () => true } });
}

test('the twenty machines, run by XState', { skip }, () => {
  for (const { name, machine: config, options = {}, bounds } of machinesWith(xstate)) {
    const machine = machineOf(config, options.children);
    const environment = options.environment ? { [config.id]: options.environment } : {};
    const model = new Model(machine, { environment });
    const { longest, objections } = runsOf(xstate, { machine, environment, random: choices(1), model }, 20, 100);
    assert.deepEqual(objections, [], name);
    for (const [mailbox, most] of Object.entries(bounds ?? {})) assert.equal(longest.get(mailbox) ?? 0, most, `${name}: ${mailbox}`);
  }
});

test('steps of random machines are steps of their systems, and no bound is exceeded', { skip, timeout: 7_200_000 }, async (context) => {
  console.warn = () => undefined;
  const tally = { seeds: LONG ? 20_000 : 250, machines: 0, steps: 0, bounds: 0, attained: 0 };
  for (let seed = 1; seed <= tally.seeds; seed += 1) {
    const one = caseOf(xstate, seed);
    if (one.refused) continue;
    const { longest, objections, steps } = runsOf(xstate, one, 5, 60);
    assert.deepEqual(objections, [], `seed ${seed}`);
    tally.machines += 1;
    tally.steps += steps;
    if (!LONG && seed % 3) continue;
    const { bounded, attained, wrong } = await provedOf(one, longest, wasm);
    assert.deepEqual(wrong, [], `seed ${seed}`);
    tally.bounds += bounded;
    tally.attained += attained;
  }
  console.warn = warn;
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.machines > tally.seeds / 4 && tally.bounds > 20 && tally.attained > 5, JSON.stringify(tally));
});

test('runs that are shown are followed by XState', { skip, timeout: 3_600_000 }, async (context) => {
  const sure = { guards: 0, timers: 0, computed: 0, finals: 0, always: 0.03, sends: 0.9, depth: 1 };
  const tally = { seeds: LONG ? 5000 : 200, unbounded: 0 };
  for (let seed = 1; seed <= tally.seeds; seed += 1) {
    const machine = randomMachine(xstate, seed, sure);
    const found = await check(machine, { ...OPTIONS, wasm, timeLimit: 3000 }).catch((error) => {
      if (!(error instanceof Refusal)) throw error;
    });
    if (found?.verdict !== 'unbounded') continue;
    tally.unbounded += 1;
    assert.ok(isFollowed(xstate, machine, found.run), `seed ${seed}`);
  }
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.unbounded > 0);
});
