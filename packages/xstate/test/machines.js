// Machines of the tests. Each says what is to be proved of it, and why.
import {
  assign, cancel, createMachine, emit, enqueueActions, forwardTo, fromCallback, fromPromise, log, raise, sendParent,
  sendTo, setup, spawnChild, stateIn, stopChild,
} from 'xstate';

/** A source of choices for guards; the differential test seeds it. */
export const chance = { next: () => true };
const perhaps = () => chance.next();
const self = ({ self }) => self;

const kitchen = createMachine({
  id: 'kitchen',
  on: { ORDER: { actions: sendParent({ type: 'READY' }) } },
});

const nurse = createMachine({
  id: 'nurse',
  initial: 'asleep',
  states: {
    asleep: { on: { CALL: 'awake' } },
    awake: { entry: sendParent({ type: 'COMING' }), type: 'final' },
  },
});

const echo = createMachine({ id: 'echo', on: { PONG: { actions: sendParent({ type: 'PING' }) } } });

const lamp = createMachine({
  id: 'lamp',
  initial: 'off',
  states: { off: { on: { FLIP: 'on' } }, on: { on: { FLIP: 'off' } } },
});

const storm = createMachine({
  id: 'storm',
  on: { CALM: {}, GUST: { actions: [sendTo(self, { type: 'GUST' }), sendTo(self, { type: 'GUST' })] } },
});

export const machines = [
  {
    // The kitchen answers while the waiter is still at the order: one answer waits. The next order comes
    // only when all is quiet.
    name: 'waiter',
    machine: createMachine({
      id: 'waiter',
      invoke: { id: 'kitchen', src: 'kitchen' },
      initial: 'idle',
      states: {
        idle: { on: { GUEST: { target: 'waiting', actions: sendTo('kitchen', { type: 'ORDER' }) } } },
        waiting: { on: { READY: 'idle' } },
      },
    }),
    options: { children: { kitchen } },
    expect: { verdict: 'bounded', bounds: { waiter: 1, 'waiter.kitchen': 1 } },
  },
  {
    // Three orders in one step: the kitchen takes each at once, its three answers wait for the end of the step.
    name: 'banquet',
    machine: createMachine({
      id: 'banquet',
      invoke: { id: 'kitchen', src: kitchen },
      on: { GUESTS: { actions: [1, 2, 3].map(() => sendTo('kitchen', { type: 'ORDER' })) } },
    }),
    expect: { verdict: 'bounded', bounds: { banquet: 3, 'banquet.kitchen': 1 } },
  },
  {
    // Each event to itself makes two: a flood.
    name: 'rumour',
    machine: createMachine({
      id: 'rumour',
      on: { TELL: { actions: [sendTo(self, { type: 'TELL' }), sendTo(self, { type: 'TELL' })] } },
    }),
    expect: { verdict: 'unbounded', unbounded: ['rumour'] },
  },
  {
    // Each event to itself makes one, for ever: never two at once. (XState does not come back from it.)
    name: 'clockwork',
    machine: createMachine({ id: 'clockwork', entry: sendTo(self, { type: 'TICK' }), on: { TICK: { actions: sendTo(self, { type: 'TICK' }) } } }),
    options: { environment: {} },
    endless: true,
    expect: { verdict: 'bounded', bounds: { clockwork: 1 } },
  },
  {
    // Two PONGs for each PING, one PING for each PONG: twice as many each round.
    name: 'tennis',
    machine: createMachine({
      id: 'tennis',
      invoke: { id: 'echo', src: echo },
      on: { PING: { actions: [sendTo('echo', { type: 'PONG' }), sendTo('echo', { type: 'PONG' })] } },
    }),
    expect: { verdict: 'unbounded', unbounded: ['tennis'] },
  },
  {
    // What is raised goes to the internal queue and is handled before the step is over: no mailbox is used.
    name: 'radio',
    machine: createMachine({
      id: 'radio',
      type: 'parallel',
      states: {
        dial: { initial: 'low', states: { low: { on: { TURN: { target: 'high', actions: [raise({ type: 'CLICK' }), raise({ type: 'CLICK' })] } } }, high: { on: { TURN: 'low' } } } },
        light: { initial: 'dark', states: { dark: { on: { CLICK: 'lit' } }, lit: { on: { CLICK: 'dark' } } } },
      },
    }),
    expect: { verdict: 'bounded', bounds: { radio: 0 } },
  },
  {
    // The region that is come back to by history sends one event to itself on each entry of `second`.
    name: 'reader',
    machine: createMachine({
      id: 'reader',
      initial: 'book',
      states: {
        book: {
          initial: 'first',
          states: { first: { on: { TURN: 'second' } }, second: { entry: sendTo(self, { type: 'NOTE' }) }, hist: { type: 'history' } },
          on: { PAUSE: 'tea' },
        },
        tea: { on: { RESUME: 'book.hist' } },
      },
      on: { NOTE: {} },
    }),
    expect: { verdict: 'bounded', bounds: { reader: 1 } },
  },
  {
    // A timer fires when all is quiet, and the lamp takes each event before the next one can come.
    name: 'lighthouse',
    machine: createMachine({
      id: 'lighthouse',
      invoke: { id: 'lamp', src: lamp },
      initial: 'turning',
      states: { turning: { after: { 1000: { target: 'turning', reenter: true, actions: sendTo('lamp', { type: 'FLIP' }) } } } },
    }),
    expect: { verdict: 'bounded', bounds: { lighthouse: 0, 'lighthouse.lamp': 1 } },
  },
  {
    // The guard may hold, and then each event makes two.
    name: 'gossip',
    machine: createMachine({
      id: 'gossip',
      initial: 'calm',
      states: {
        calm: { on: { NEWS: [{ guard: () => false, target: 'excited' }, {}] } },
        excited: { entry: sendTo(self, { type: 'NEWS' }), on: { NEWS: { target: 'excited', reenter: true, actions: sendTo(self, { type: 'NEWS' }) } } },
      },
    }),
    expect: { verdict: 'unbounded', unbounded: ['gossip'] },
  },
  {
    // Nobody can see what the function sends.
    name: 'oracle',
    machine: createMachine({ id: 'oracle', on: { ASK: { actions: ({ self }) => self.send({ type: 'ASK' }) } } }),
    expect: { verdict: 'unknown', reason: /function: what it sends cannot be seen/ },
  },
  {
    // The user says that the action sends nothing.
    name: 'diary',
    machine: setup({ actions: { write: () => chance.next() } }).createMachine({ id: 'diary', on: { DAY: { actions: ['write', sendTo(self, { type: 'NIGHT' })] }, NIGHT: {} } }),
    options: { silent: ['write'] },
    expect: { verdict: 'bounded', bounds: { diary: 1 } },
  },
  {
    // A second lamp is started under the name of the first, which is still there.
    name: 'hoarder',
    machine: createMachine({ id: 'hoarder', on: { BUY: { actions: spawnChild(lamp, { id: 'lamp' }) } } }),
    expect: { verdict: 'unknown', reason: /predecessor/ },
  },
  {
    // Started and stopped in turns: there is one lamp at a time.
    name: 'tenant',
    machine: createMachine({
      id: 'tenant',
      initial: 'out',
      states: {
        out: { on: { COME: { target: 'in', actions: [spawnChild(lamp, { id: 'lamp' }), sendTo('lamp', { type: 'FLIP' })] } } },
        in: { on: { GO: { target: 'out', actions: stopChild('lamp') } } },
      },
    }),
    expect: { verdict: 'bounded', bounds: { tenant: 0, 'tenant.lamp': 1 } },
  },
  {
    // COMING and the end of the nurse both come while the ward is at the call, so that two wait. Then the next nurse.
    name: 'ward',
    machine: createMachine({
      id: 'ward',
      initial: 'quiet',
      states: {
        quiet: {
          invoke: { id: 'nurse', src: nurse, onDone: { target: 'quiet', reenter: true }, onError: 'alarm' },
          on: { BELL: { actions: sendTo('nurse', { type: 'CALL' }) } },
        },
        alarm: {},
      },
      on: { COMING: {} },
    }),
    expect: { verdict: 'bounded', bounds: { ward: 2, 'ward.nurse': 1 } },
  },
  {
    // Either way of the check sends at most two events to itself, and nothing more comes of these.
    name: 'postman',
    machine: createMachine({
      id: 'postman',
      on: {
        WALK: {
          actions: enqueueActions(({ enqueue, check }) => {
            enqueue.sendTo(self, { type: 'LETTER' });
            if (check(perhaps)) enqueue.sendTo(self, { type: 'PARCEL' });
            else enqueue.raise({ type: 'REST' });
          }),
        },
        LETTER: {}, PARCEL: {}, REST: {},
      },
    }),
    expect: { verdict: 'bounded', bounds: { postman: 2 } },
  },
  {
    // How often is data, which is not looked at.
    name: 'printer',
    machine: createMachine({
      id: 'printer',
      context: { copies: 2 },
      on: { PRINT: { actions: enqueueActions(({ context, enqueue }) => { for (let i = 0; i < context.copies; i++) enqueue.sendTo(self, { type: 'PAGE' }); }) }, PAGE: {} },
    }),
    expect: { verdict: 'unknown', reason: /depends on data/ },
  },
  {
    // The type is computed: it may be GUST, and the storm floods itself.
    name: 'weather',
    machine: createMachine({
      id: 'weather',
      context: { kind: 'CALM' },
      invoke: { id: 'storm', src: storm },
      on: { CHANGE: { actions: sendTo('storm', ({ context }) => ({ type: context.kind })) } },
    }),
    expect: { verdict: 'unbounded', unbounded: ['weather.storm'] },
  },
  {
    // The same storm, and the type stands there: data beside it does no harm.
    name: 'doldrums',
    machine: createMachine({
      id: 'doldrums',
      context: { speed: 0 },
      invoke: { id: 'storm', src: storm },
      on: { CHANGE: { actions: [assign({ speed: ({ context }) => context.speed + 1 }), sendTo('storm', ({ context }) => ({ type: 'CALM', speed: context.speed }))] } },
    }),
    expect: { verdict: 'bounded', bounds: { doldrums: 0, 'doldrums.storm': 1 } },
  },
  {
    // The receiver is data.
    name: 'courier',
    machine: createMachine({ id: 'courier', context: {}, on: { GO: { actions: sendTo(({ context }) => context.customer, { type: 'HERE' }) } } }),
    expect: { verdict: 'unknown', reason: /computed from data/ },
  },
  {
    // Two states that lead to each other at once: the step has no end.
    name: 'seesaw',
    machine: createMachine({ id: 'seesaw', initial: 'up', states: { up: { always: 'down' }, down: { always: 'up' } } }),
    expect: { verdict: 'unknown', reason: /without end/ },
  },
  {
    // A promise is settled when all is quiet; its event waits for nothing. NEXT waits in the own mailbox.
    name: 'fetcher',
    machine: setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
      id: 'fetcher',
      initial: 'loading',
      states: {
        loading: { invoke: { src: 'load', onDone: 'shown', onError: 'failed' } },
        shown: { entry: sendTo(self, { type: 'NEXT' }), on: { NEXT: 'rest' } },
        rest: { on: { AGAIN: 'loading' } },
        failed: {},
      },
    }),
    options: { silent: ['load'] },
    expect: { verdict: 'bounded', bounds: { fetcher: 1 } },
  },
  {
    // An actor that is spawned by a function of `assign` cannot be seen.
    name: 'breeder',
    machine: createMachine({ id: 'breeder', context: {}, on: { MORE: { actions: assign({ pup: ({ spawn }) => spawn(lamp) }) } } }),
    expect: { verdict: 'unknown', reason: /assign/ },
  },
  {
    // The function that gives the receiver gives none now; who knows what it gives later.
    name: 'stranger',
    machine: createMachine({ id: 'stranger', on: { GO: { actions: sendTo(() => undefined, { type: 'HERE' }) } } }),
    expect: { verdict: 'unknown', reason: /gives none/ },
  },
  {
    // A callback may send at any time.
    name: 'listener',
    machine: createMachine({ id: 'listener', invoke: { src: fromCallback(({ sendBack }) => sendBack({ type: 'NOISE' })) } }),
    expect: { verdict: 'unknown', reason: /no machine/ },
  },
  {
    // It is its own child, and so on.
    name: 'mirror',
    machine: createMachine({ id: 'mirror', invoke: { src: 'mirror' } }),
    children: (machine) => ({ mirror: machine }),
    expect: { verdict: 'unknown', reason: /its own child/ },
  },
  {
    // Both regions tell the board, which is found by its name in the system. It answers each; both wait at most
    // while the office is at the step in which it told.
    name: 'office',
    machine: createMachine({
      id: 'office',
      invoke: { id: 'board', systemId: 'board', src: createMachine({ id: 'board', on: { PIN: { actions: sendParent({ type: 'PINNED' }) } } }) },
      type: 'parallel',
      states: {
        east: { initial: 'a', states: { a: { on: { WORK: 'b' } }, b: { entry: sendTo(({ system }) => system.get('board'), { type: 'PIN' }), on: { WORK: 'a' } } } },
        west: { initial: 'a', states: { a: { on: { WORK: 'b' } }, b: { entry: sendTo(({ system }) => system.get('board'), { type: 'PIN' }), on: { WORK: 'a' } } } },
      },
      on: { PINNED: {} },
    }),
    expect: { verdict: 'bounded', bounds: { office: 2, 'office.board': 1 } },
  },
  {
    // Forwarded, logged, emitted, delayed and cancelled: the lamp gets one event at a time.
    name: 'butler',
    machine: createMachine({
      id: 'butler',
      invoke: { id: 'lamp', src: lamp },
      on: {
        FLIP: { guard: perhaps, actions: [log('flip'), forwardTo('lamp'), emit({ type: 'served' }), raise({ type: 'FLIP' }, { delay: 500, id: 'later' })] },
        STOP: { actions: cancel('later') },
      },
    }),
    expect: { verdict: 'bounded', bounds: { butler: 0, 'butler.lamp': 1 } },
  },
  {
    // stateIn is taken both ways; either way one event comes for each event.
    name: 'stairs',
    machine: createMachine({
      id: 'stairs',
      initial: 'low',
      states: { low: { on: { STEP: { target: 'high', actions: sendTo(self, { type: 'CREAK' }) } } }, high: { on: { STEP: { guard: stateIn('#stairs.high'), target: 'low' } } } },
      on: { CREAK: {} },
    }),
    expect: { verdict: 'bounded', bounds: { stairs: 1 } },
  },
];
