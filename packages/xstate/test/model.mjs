// The extracted system as it stands, to hold steps of XState against.
import { matches } from '../src/select.mjs';
import { actorsOf, systemOf } from '../src/system.mjs';

const OPTIONS = { children: {}, environment: [], silent: ['quiet', 'ghost'], pure: true, limit: 400 };

export class Model {
  constructor(machine, given) {
    const options = { ...OPTIONS, ...given };
    this.actors = actorsOf(machine, options);
    const { system, uses, keys } = systemOf(this.actors, options);
    Object.assign(this, { system, uses, keys });
    this.leaving = system.states.map(() => []);
    for (const transition of system.transitions) this.leaving[transition.source].push(transition);
    this.places = keys.map(({ states, positions }) => this.placesOf(states, positions));
  }

  /** The states of a class at rest, by what XState shows of them. */
  placesOf(states, positions) {
    const found = new Map();
    positions.forEach(({ nodes, armed, isDone, atRest }, at) => {
      const state = states.get(`at ${at}`);
      if (!atRest || state === undefined) return;
      found.set(isDone ? 'done' : JSON.stringify([nodes.map(({ id }) => id), [...armed].map(({ event }) => event).sort()]), state);
    });
    return found;
  }

  /** Why a step of XState is none of the system; nothing if it is one. */
  objection({ name, took, sent, before, after }) {
    const index = this.actors.findIndex((actor) => actor.name === name);
    const from = before === undefined ? this.system.classes[index].initial : this.places[index].get(before);
    const to = this.places[index].get(after);
    if (from === undefined) return `${name}: the place ${before} is not in the system`;
    if (to === undefined) return `${name}: the place ${after} is not in the system`;
    const outside = took === undefined || took.startsWith('outside ');
    const events = [...(outside ? [] : [`receive ${name} ${took}`]), ...sent.map(([target, type]) => `send ${target} ${type}`)];
    return this.leads(from, to, events) ? undefined : `${name}: from ${before} no way leads to ${after} by ${events.join(', ') || 'nothing'}`;
  }

  leads(from, to, wanted) {
    const seen = new Set();
    const open = [[from, 0]];
    while (open.length) {
      const [state, done] = open.pop();
      for (const { target, events } of this.leaving[state]) {
        if (!events.every((event, index) => this.fits(event, wanted[done + index]))) continue;
        const next = done + events.length;
        if (target === to && next === wanted.length) return true;
        if (!seen.has(`${target} ${next}`)) open.push([target, next]);
        seen.add(`${target} ${next}`);
      }
    }
    return false;
  }

  /**
   * Whether an event of the system is the one of XState; types that a machine does not tell apart
   * go by one name.
   */
  fits({ direction, message }, wanted) {
    if (wanted === undefined) return false;
    const { buffer, name } = this.system.messages[message];
    const [what, target, type] = wanted.split(' ');
    if (what !== direction || target !== this.system.buffers[buffer].name) return false;
    if (type === name) return true;
    return name.includes('(any other)') && this.takersOf(buffer, type) === this.takersOf(buffer, name);
  }

  /** The descriptors of a machine that take a type. */
  takersOf(index, type) {
    const all = new Set(this.actors[index].machine.nodes.flatMap(({ transitions }) => [...transitions.keys()]));
    return JSON.stringify([...all].filter((descriptor) => matches(type, descriptor)).sort());
  }
}
