// Twenty machines, each with the verdict that is right, and why. They were worked out before
// anything was run.
const ping = { type: 'ping' };
const pong = { type: 'pong' };
const job = { type: 'job' };

const echoWith = ({ sendParent }) => ({ id: 'echo', on: { ping: { actions: sendParent(pong) } } });
const workerWith = ({ sendParent }) => ({ id: 'worker', on: { job: { actions: sendParent({ type: 'finished' }) } } });
const sinkWith = ({ log }) => ({ id: 'sink', on: { '*': { actions: log('seen') } } });

/**
 * The machines, with actions made by XState or by what stands in for it. `bounds` has the most that
 * each mailbox really holds; a proved bound may be above it, but not below.
 */
export function machinesWith(actions) {
  return [conversations, choices, timers, endings].flatMap((some) => some(actions));
}

/** Questions, answers and jobs. */
function conversations(actions) {
  const { raise, sendTo } = actions;
  const echo = echoWith(actions);
  const worker = workerWith(actions);
  return [
    {
      // One message is on its way at any time: each answer sets off one question, and each question
      // one answer. A last message, that the child is done, never comes: it has no final state.
      name: 'question and answer',
      machine: { id: 'asker', invoke: { id: 'echo', src: echo }, entry: sendTo('echo', ping), on: { pong: { actions: sendTo('echo', ping) } } },
      verdict: 'bounded', bounds: { asker: 1, echo: 1 },
    },
    {
      // Two questions for each answer: the number on their way grows by one with each.
      name: 'two questions for an answer',
      machine: { id: 'asker', invoke: { id: 'echo', src: echo }, entry: sendTo('echo', ping), on: { pong: { actions: [sendTo('echo', ping), sendTo('echo', ping)] } } },
      verdict: 'unbounded',
    },
    {
      // Three jobs are given out at the start, and one more for each that is finished: three in
      // all, wherever they are.
      name: 'three jobs at a time',
      machine: { id: 'boss', invoke: { id: 'worker', src: 'worker' }, entry: [sendTo('worker', job), sendTo('worker', job), sendTo('worker', job)], on: { finished: { actions: sendTo('worker', job) } } },
      options: { children: { worker } },
      verdict: 'bounded', bounds: { boss: 3, worker: 3 },
    },
    {
      // What is not handled is taken all the same, and dropped: nobody answers, so that one message
      // is all there is.
      name: 'a message that nobody handles',
      machine: { id: 'asker', invoke: { id: 'deaf', src: { id: 'deaf' } }, entry: sendTo('deaf', ping) },
      verdict: 'bounded', bounds: { asker: 0, deaf: 1 },
    },
    {
      // The machine sends itself a message whenever it takes one: one at a time. An event that is
      // raised is in no mailbox.
      name: 'a message to oneself',
      machine: { id: 'clockwork', entry: sendTo(({ self }) => self, { type: 'tick' }), on: { tick: { actions: [raise({ type: 'tock' })] }, tock: { actions: sendTo('#_internal', { type: 'tick' }) } } },
      verdict: 'bounded', bounds: { clockwork: 1 },
    },
  ];
}

/** Which state reacts to a message. */
function choices(actions) {
  const { sendTo } = actions;
  return [
    {
      // Both regions react to a tick, so that each makes two.
      name: 'both regions send a tick',
      machine: {
        id: 'twins', type: 'parallel', entry: sendTo('#_internal', { type: 'tick' }),
        states: { left: { on: { tick: { actions: sendTo('#_internal', { type: 'tick' }) } } }, right: { on: { tick: { actions: sendTo('#_internal', { type: 'tick' }) } } } },
      },
      verdict: 'unbounded',
    },
    {
      // Only the inner state reacts: the one around it does not see what was handled inside. With
      // both it would be two.
      name: 'the state inside goes first',
      machine: {
        id: 'nested', initial: 'inner', entry: sendTo('#_internal', { type: 'tick' }), on: { tick: { actions: [sendTo('#_internal', { type: 'tick' }), sendTo('#_internal', { type: 'tick' })] } },
        states: { inner: { on: { tick: { actions: sendTo('#_internal', { type: 'tick' }) } } } },
      },
      verdict: 'bounded', bounds: { nested: 1 },
    },
    {
      // The same with a guard inside: where it fails, the outer state reacts, and doubles. Whether
      // it ever fails is not known.
      name: 'a guard lets a message through to the state around',
      machine: {
        id: 'nested', initial: 'inner', entry: sendTo('#_internal', { type: 'tick' }), on: { tick: { actions: [sendTo('#_internal', { type: 'tick' }), sendTo('#_internal', { type: 'tick' })] } },
        states: { inner: { on: { tick: { guard: 'always', actions: sendTo('#_internal', { type: 'tick' }) } } } },
      },
      options: { pure: true },
      verdict: 'unknown',
    },
    {
      // A forbidden event: nothing is done inside, and the state around does not see it either. The
      // first tick is the last.
      name: 'a forbidden event',
      machine: { id: 'nested', initial: 'inner', entry: sendTo('#_internal', { type: 'tick' }), on: { tick: { actions: [sendTo('#_internal', { type: 'tick' }), sendTo('#_internal', { type: 'tick' })] } }, states: { inner: { on: { tick: undefined } } } },
      verdict: 'bounded', bounds: { nested: 1 },
    },
  ];
}

/** Timers, and states that are entered again. */
function timers(actions) {
  const { sendTo } = actions;
  const worker = workerWith(actions);
  const sink = sinkWith(actions);
  return [
    {
      // The timer runs off once for each time that the state is entered, and sends a message to the
      // machine itself; that message takes it there again. Between, nothing else comes: one
      // message.
      name: 'a timer that starts itself again',
      machine: { id: 'beat', initial: 'waiting', states: { waiting: { after: { 500: { target: 'waiting', reenter: true } } } } },
      verdict: 'bounded', bounds: { beat: 1 },
    },
    {
      // A job for each beat, whether or not the last one is finished. If the worker is slow its
      // mailbox grows; the verdict is 'unknown', since timers may run off at any time here, and a
      // run cannot tell how slow it would have to be.
      name: 'a job for each beat',
      machine: { id: 'beat', invoke: { id: 'sink', src: sink }, initial: 'waiting', states: { waiting: { after: { 500: { target: 'waiting', reenter: true, actions: sendTo('sink', job) } } } } },
      verdict: 'unknown',
    },
    {
      // The next beat begins when the last job is finished: one job at a time. The parent may have
      // one message of the timer or of the worker, not both: the timer is armed after the answer is
      // taken.
      name: 'a job for each beat, one at a time',
      machine: {
        id: 'beat', invoke: { id: 'worker', src: worker }, initial: 'waiting',
        states: { waiting: { after: { 500: 'working' } }, working: { entry: sendTo('worker', job), on: { finished: 'waiting' } } },
      },
      verdict: 'bounded', bounds: { beat: 1, worker: 1 },
    },
    {
      // The exit of the inner state, the transition and the entry of the target all send: three for
      // one, without an end.
      name: 'exit, transition and entry send',
      machine: {
        id: 'relay', initial: 'a', entry: sendTo('#_internal', { type: 'go' }),
        states: {
          a: { exit: sendTo('#_internal', { type: 'go' }), on: { go: { target: 'b', actions: sendTo('#_internal', { type: 'go' }) } } },
          b: { entry: sendTo('#_internal', { type: 'go' }), on: { go: 'a' } },
        },
      },
      verdict: 'unbounded',
    },
    {
      // A transition to the state itself leaves and enters it only with `reenter`: there is no
      // second message.
      name: 'a transition to the state itself',
      machine: { id: 'still', initial: 'a', states: { a: { entry: [sendTo('#_internal', { type: 'go' })], on: { go: 'a' } } } },
      verdict: 'bounded', bounds: { still: 1 },
    },
    {
      // With `reenter` each message makes the entry send the next one. Still one at a time.
      name: 'a transition that enters the state again',
      machine: { id: 'again', initial: 'a', states: { a: { entry: [sendTo('#_internal', { type: 'go' })], on: { go: { target: 'a', reenter: true } } } } },
      verdict: 'bounded', bounds: { again: 1 },
    },
  ];
}

/** Ends, names and outsiders. */
function endings(actions) {
  const { assign, sendParent, sendTo } = actions;
  const worker = workerWith(actions);
  const sink = sinkWith(actions);
  return [
    {
      // The child is done after its second ping, tells so, and drops what comes later. The parent
      // sends one ping for each pong: two pongs, and the news that the child is done, which is
      // behind the last one.
      name: 'a child that comes to its end',
      machine: { id: 'asker', invoke: { id: 'twice', src: 'twice', onDone: '.over' }, initial: 'asking', entry: sendTo('twice', ping), states: { asking: { on: { pong: { actions: sendTo('twice', ping) } } }, over: {} } },
      options: { children: { twice: { id: 'twice', initial: 'one', states: { one: { on: { ping: { target: 'two', actions: sendParent(pong) } } }, two: { on: { ping: { target: 'three', actions: sendParent(pong) } } }, three: { type: 'final' } } } } },
      verdict: 'bounded', bounds: { asker: 2, twice: 1 },
    },
    {
      // When both regions are final, the state around them is done, which is an event inside: the
      // machine goes to the state that says so to itself, once. Two messages at the start, one for
      // each region, and the third only after both.
      name: 'regions that are both done',
      machine: {
        id: 'both', initial: 'work', entry: [sendTo('#_internal', { type: 'l' }), sendTo('#_internal', { type: 'r' })],
        states: {
          work: { type: 'parallel', onDone: 'rest', states: { left: { initial: 'on', states: { on: { on: { l: 'off' } }, off: { type: 'final' } } }, right: { initial: 'on', states: { on: { on: { r: 'off' } }, off: { type: 'final' } } } } },
          rest: { entry: sendTo('#_internal', { type: 'over' }) },
        },
      },
      verdict: 'bounded', bounds: { both: 2 },
    },
    {
      // `order.*` takes `order.new` and `order`, not `orders`. Each of the three is answered once
      // or not at all.
      name: 'names with a wildcard',
      machine: {
        id: 'clerk', invoke: { id: 'desk', src: { id: 'desk', on: { 'order.*': { actions: sendParent({ type: 'noted' }) } } } },
        entry: [sendTo('desk', { type: 'order.new' }), sendTo('desk', { type: 'orders' }), sendTo('desk', { type: 'order' })],
        on: { noted: { actions: assign({ last: 'noted' }) } },
      },
      verdict: 'bounded', bounds: { clerk: 2, desk: 3 },
    },
    {
      // What outsiders send is not counted, but each of their events makes the machine give out a
      // job.
      name: 'an outsider sends orders',
      machine: { id: 'shop', invoke: { id: 'sink', src: sink }, on: { order: { actions: sendTo('sink', job) } } },
      options: { environment: ['order'] },
      verdict: 'unbounded',
    },
    {
      // The same shop takes no order while one is under way: the outsider's events are dropped
      // then.
      name: 'a shop that takes one order at a time',
      machine: {
        id: 'shop', invoke: { id: 'worker', src: worker }, initial: 'open',
        states: { open: { on: { order: { target: 'busy', actions: sendTo('worker', job) } } }, busy: { on: { finished: 'open' } } },
      },
      options: { environment: ['order'] },
      verdict: 'bounded', bounds: { shop: 1, worker: 1 },
    },
  ];
}
