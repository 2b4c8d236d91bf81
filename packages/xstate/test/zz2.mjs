// Machines made at random: where a bound is proved, no mailbox is ever longer in XState.
import assert from 'node:assert/strict';

import { createMachine, enqueueActions, forwardTo, raise, sendParent, sendTo, spawnChild, stopChild } from 'xstate';
import { check } from '../src/index.js';
import { chance } from './machines.js';
import { random, run } from './run.js';

const CASES = Number(process.env.CASES ?? 60);
const RUNS = 12;
const EVENTS = ['A', 'B', 'C'];

/** A machine with some states; `depth` levels of children below it. */
function machineOf(pick, id, depth, isRoot) {
  const kids = depth > 0 ? Array.from({ length: 1 + pick(2) }, (_, at) => `${id}${at}`) : [];
  const logics = new Map(kids.map((kid) => [kid, machineOf(pick, kid, depth - 1, false)]));
  const event = () => ({ type: EVENTS[pick(EVENTS.length)] });
  const perhaps = () => chance.next();
  const names = [...namesOf(id, depth)];

  const action = () => {
    const kid = kids[pick(Math.max(kids.length, 1))];
    const chosen = event();
    switch (pick(12)) {
      case 0: return sendTo(({ self }) => self, chosen);
      case 1: return raise({ type: 'R' });
      case 2:
      case 3: return isRoot ? [] : sendParent(chosen);
      case 4:
      case 5:
      case 6: return kid ? sendTo(kid, chosen) : [];
      case 7: return kid ? forwardTo(kid) : [];
      case 8: return sendTo(({ self }) => self, chosen, { delay: 100 });
      case 9: return enqueueActions(({ enqueue, check }) => { if (check(perhaps)) enqueue.raise({ type: 'R' }); else enqueue.sendTo(({ self }) => self, chosen); });
      case 10: {
        const name = names[pick(names.length)];
        return sendTo(({ system }) => system.get(name), chosen);
      }
      default: return kid ? [stopChild(kid), spawnChild(logics.get(kid), { id: kid, systemId: kid })] : [];
    }
  };
  const actions = (most) => Array.from({ length: pick(most + 1) }, action).flat();
  const states = ['s0', 's1', 's2'];
  const transition = (prefix) => ({
    ...(pick(3) === 0 ? {} : { target: `${prefix}${states[pick(3)]}` }),
    ...(pick(3) === 0 ? { guard: perhaps } : {}),
    ...(pick(4) === 0 ? { reenter: true } : {}),
    actions: actions(1),
  });
  const state = (at) => ({
    entry: pick(3) === 0 ? actions(1) : [],
    exit: pick(4) === 0 ? actions(1) : [],
    on: Object.fromEntries([...EVENTS, 'R'].filter(() => pick(2) === 0).map((type) => [type, transition('')])),
    ...(pick(5) === 0 ? { after: { 50: transition('') } } : {}),
    ...(pick(6) === 0 ? { always: { guard: perhaps, target: states[(at + 1) % 3] } } : {}),
    ...(kids.length > 0 && pick(2) === 0 ? { invoke: { id: kids[0], src: logics.get(kids[0]), systemId: kids[0], ...(pick(2) === 0 ? { onDone: transition(''), onError: transition('') } : {}) } } : {}),
  });
  const last = pick(4) === 0 ? { type: 'final' } : state(2);
  return createMachine({ id, initial: 's0', states: { s0: state(0), s1: state(1), s2: last }, entry: kids[1] && pick(2) === 0 ? spawnChild(logics.get(kids[1]), { id: kids[1], systemId: kids[1] }) : [] });
}

/** The names of children below a machine, as far as there may be some. */
function* namesOf(id, depth) {
  yield id;
  for (let at = 0; at < 2 && depth > 0; at++) yield* namesOf(`${id}${at}`, depth - 1);
}


const [,, seed, runSeed] = process.argv.map(Number);
const pick = random(seed * 7919);
const machine = machineOf(pick, 'm', 1 + pick(2), true);
const show = (c, ind='') => { const a = (x) => [x].flat().filter(Boolean).map((f) => f.type + '(' + (typeof f.to==='function' ? f.to.toString().slice(-30) : f.to ?? f.actorRef ?? f.id ?? '') + ',' + (f.event?.type ?? '') + (f.delay?',delay':'') + ')').join(' '); 
 console.log(ind + (c.id ?? ''), 'entry', a(c.entry), 'exit', a(c.exit)); for (const [k, s] of Object.entries(c.states ?? {})) { console.log(ind+' '+k, s.type??'', 'entry', a(s.entry), 'exit', a(s.exit), s.always?'always '+s.always.target:'', s.invoke ? 'invoke '+s.invoke.id + (s.invoke.onDone ? ' onDone '+s.invoke.onDone.target + a(s.invoke.onDone.actions) + ' onError ' + s.invoke.onError.target + a(s.invoke.onError.actions):''):''); for (const [e,t] of Object.entries({...s.on, ...s.after})) console.log(ind+'    ', e, t.target, t.reenter?'re':'', t.guard?'?':'', a(t.actions)); if (s.invoke) show(s.invoke.src.config, ind+'      '); } };
show(machine.config);
for (const f of [machine.config.entry].flat()) if (f?.src) { console.log('SPAWN', f.id); show(f.src.config); }
const r = await check(machine, { maxStates: 20000 }); console.log(r.verdict, r.mailboxes);

globalThis.TRACE = true;
console.log(await run(machine, {}, runSeed));
