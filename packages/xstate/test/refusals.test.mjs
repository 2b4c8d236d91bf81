// What is not supported is refused, with its place: nothing is passed over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, check, extract } from '../src/index.mjs';
import { assign, log, raise, sendParent, sendTo } from './plain.mjs';

const tick = { type: 'tick' };
const self = ({ self }) => self;
const state = (inner) => ({ initial: 'a', states: { a: inner, b: {} } });
const other = Object.assign(() => undefined, { type: 'xstate.spawnChild', resolve: () => undefined });

const endless = { initial: 'a', states: {} };
endless.states.a = endless;

const REFUSED = [
  ['a key that is not known', { colour: 'red' }, /machine\.colour/],
  ['a key that is not known, further down', state({ activities: ['x'] }), /machine\.states\.a\.activities/],
  ['a key of a transition', { on: { x: { cond: 'y' } } }, /machine\.on\.x\.cond/],
  ['history', state({ type: 'history' }), /history/],
  ['history by its key', state({ history: 'deep' }), /history/],
  ['a child of a state', state({ invoke: { id: 'c', src: 'c' } }), /live as long/],
  ['a child that nobody knows', { invoke: { id: 'c', src: 'c' } }, /children/],
  ['a child without an id', { invoke: { src: {} } }, /no `id`/],
  ['errors of a child', { invoke: { id: 'c', src: {}, onError: 'x' } }, /onError/],
  ['snapshots of a child', { invoke: { id: 'c', src: {}, onSnapshot: 'x' } }, /onSnapshot/],
  ['transitions of a final state', state({ type: 'final', on: { x: 'b' } }), /machine\.states\.a\.on/],
  ['an action that is a function', { entry: () => 1 }, /cannot be looked into/],
  ['an action that nobody knows', { entry: 'save' }, /`silent`/],
  ['an action of another kind', { entry: other }, /xstate\.spawnChild/],
  ['an action that is an object of another kind', { entry: { type: 'save', to: 'x' } }, /entry\.to/],
  ['an action that says to be another one', { entry: Object.assign(sendTo(self, tick), { type: 'xstate.log' }) }, /not as XState makes it/],
  ['an action without its parts', { entry: Object.assign(() => undefined, { type: 'xstate.assign', resolve: () => 1 }) }, /assignment/],
  ['states that contain themselves', endless, /nested/],
  ['a message to nobody', { entry: sendTo('nobody', tick) }, /no child/],
  ['a message to a parent that is not there', { entry: sendParent(tick) }, /no parent/],
  ['a message to whom a function says', { entry: sendTo(({ context }) => context.ref, tick) }, /by a function/],
  ['a message with a delay', { entry: sendTo(self, tick, { delay: 10 }) }, /delay/],
  ['an event raised with a delay', { entry: raise(tick, { delay: 10 }) }, /delay/],
  ['a message that is a string', { entry: sendTo(self, 'tick') }, /string/],
  ['an event of XState', { entry: sendTo(self, { type: 'xstate.stop' }) }, /XState's own/],
  ['an event with a wildcard', { entry: raise({ type: '*' }) }, /wildcard/],
  ['an event whose type is computed when it is read', { entry: raise({ get type() { return 'x'; } }) }, /computed/],
  ['a guard, without a word', { on: { x: { guard: 'may' } } }, /pure: true/],
  ['a function that assigns, without a word', { entry: assign({ n: () => 1 }) }, /pure: true/],
  ['a function that spawns', { entry: assign({ n: ({ spawn }) => spawn('x') }) }, /`spawn`/, { pure: true }],
  ['a function that sends', { entry: log(({ context }) => context.ref.send('x')) }, /`send`/, { pure: true }],
  ['a context that spawns', { context: ({ spawn }) => ({ ref: spawn('x') }) }, /`spawn`/, { pure: true }],
  ['a function that is bound', { on: { x: { guard: (() => true).bind(null) } } }, /bound/, { pure: true }],
  ['a delay with a name', state({ after: { soon: 'b' } }), /soon/],
  ['a target that is not there', state({ on: { x: 'c' } }), /'c' is no state/],
  ['several targets of a transition', state({ on: { x: { target: ['a', 'b'] } } }), /one state/],
  ['a target of the root without a dot', { ...state({}), on: { x: 'a' } }, /'\.a'/],
  ['an initial state with actions', { initial: { target: 'a' }, states: { a: {} } }, /initial/],
  ['a key with a dot', { initial: 'a.b', states: { 'a.b': {} } }, /'a\.b'/],
  ['a key that is a number', { initial: '1', states: { 1: {} } }, /'1'/],
  ['an id that is given twice', { id: 'm', initial: 'a', states: { a: { id: 'x' }, b: { id: 'x' } } }, /twice/],
  ['an event without a name', { on: { '': 'x' } }, /no name/],
  ['an infix wildcard', { on: { 'a.*.b': {} } }, /no name of events/],
  ['an empty list of transitions', { on: { x: [] } }, /empty/],
  ['a target that is nothing', { on: { x: null } }, /no plain object/],
  ['`always` that goes round for ever', { initial: 'a', states: { a: { always: 'b' }, b: { always: 'a' } } }, /for ever/],
  ['`raise` that goes round for ever', { entry: raise(tick), on: { tick: { actions: raise(tick) } } }, /for ever/],
  ['`raise` that piles up', { entry: raise(tick), on: { tick: { actions: [raise(tick), raise(tick)] } } }, /32 events/],
  ['children that start anew', { invoke: { id: 'c', src: {} }, on: { x: { target: '#(machine)', reenter: true } } }, /anew/, { environment: ['x'] }],
  ['a timer that starts twice', { id: 'm', after: { 5: {} }, ...state({ on: { x: '#m' } }) }, /twice/, { environment: ['x'] }],
  ['too many states', { type: 'parallel', states: Object.fromEntries('abcdefgh'.split('').map((key) => [key, state({ on: { [key]: 'b' } })])) }, /limit/, { environment: 'abcdefgh'.split(''), limit: 100 }],
  ['an option that is not known', {}, /options\.quiet/, { quiet: true }],
  ['a child that is not invoked', {}, /children\.x/, { children: { x: {} } }],
  ['an outsider to nobody', {}, /environment\.x/, { environment: { x: ['a'] } }],
  ['something else than a machine', 'machine', /is no machine/],
  ['a machine of XState 4', { __xstatenode: true, config: {}, options: {}, transition: () => undefined }, /another version/],
  ['a class instance', new (class Machine {})(), /no plain object/],
];

for (const [name, machine, message, options] of REFUSED) {
  test(name, () => {
    const failed = (error) => error instanceof Refusal && message.test(error.message) && error.where.length > 0;
    assert.throws(() => extract(machine, options), failed);
  });
}

test('check rejects with what extract throws', async () => {
  await assert.rejects(check({ colour: 'red' }), Refusal);
});
