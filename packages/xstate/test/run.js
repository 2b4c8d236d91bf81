// A run of machines in XState itself, with events and time from outside at random.
import { createActor, SimulatedClock } from 'xstate';
import { chance } from './machines.js';

const EVENTS = 60;
const MOST_MESSAGES = 3_000;
const RUNNING = 1;
const STOPPED = 2;

/** Numbers below a limit, the same for the same seed (mulberry32). */
export function random(seed) {
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
  for (let one = mailbox._active ? mailbox._current?.next : mailbox._current; one; one = one.next) length += one.value.type === 'xstate.stop' ? 0 : 1;
  return length;
}

/** True between events, and before the start and after the end. */
const isIdle = ({ mailbox, _processingStatus }) => _processingStatus !== RUNNING || (mailbox._active && !mailbox._current);

/** One run; returns the greatest length of each mailbox. */
export async function run(machine, options, seed) {
  const pick = random(seed);
  chance.next = () => pick(2) === 0;
  const longest = {};
  const clock = new SimulatedClock();
  const actors = new Set();
  let messages = 0;
  const inspect = ({ type, actorRef, event }) => {
    actors.add(actorRef);
    if (type !== '@xstate.event' || event.type === 'xstate.init' || event.type === 'xstate.stop') return;
    // Some machines go on for ever by themselves: they fail then.
    if (++messages > MOST_MESSAGES) throw new Error('enough');
    // The event is about to be put there. What comes when all is quiet is taken at once.
    if (!actorRef.logic.root || actorRef._processingStatus === STOPPED || [...actors].every(isIdle)) return;
    const path = pathOf(actorRef, machine.id);
    longest[path] = Math.max(longest[path] ?? 0, waiting(actorRef) + 1);
  };
  const root = createActor(options.children ? machine.provide({ actors: options.children }) : machine, { clock, inspect, logger: () => {} });
  root.subscribe({ error: () => {} });
  /** Does something from outside; the failure that ends an endless run comes through. */
  const outside = (act) => {
    try {
      act();
    } catch (error) {
      if (messages <= MOST_MESSAGES) throw error;
    }
  };
  outside(() => root.start());
  const types = [...machine.events.filter((type) => !type.startsWith('xstate.') && !type.includes('*')), 'NEVER-HEARD'];
  for (let i = 0; i < EVENTS && messages <= MOST_MESSAGES; i++) {
    const choice = pick(10);
    if (choice === 0) outside(() => clock.increment(pick(1500)));
    else if (choice === 1) await new Promise((resolve) => setImmediate(resolve));
    else outside(() => root.send({ type: types[pick(types.length)] }));
  }
  if (messages <= MOST_MESSAGES) root.stop();
  return longest;
}
