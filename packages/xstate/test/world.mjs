// XState's own actors, with mailboxes and a clock of ours: who takes a message next, and which
// timer runs off, is up to us.

/**
 * Runs a machine, and tells of each step: who, what it took, which messages it sent, and where it
 * is then.
 */
export class World {
  constructor(xstate, machine, { random, nested, told }) {
    Object.assign(this, { random, nested, told, actors: [], frames: [], longest: new Map(), timers: new Map(), left: 200 });
    const clock = {
      setTimeout: (run) => { const id = this.timers.size + Math.random(); this.timers.set(id, run); return id; },
      clearTimeout: (id) => this.timers.delete(id),
    };
    this.root = xstate.createActor(machine, { clock, logger: () => undefined });
    this.system = this.root.system;
    const relay = this.system._relay;
    this.system._relay = (source, target, event) => {
      this.frames.findLast(({ actor }) => actor === source)?.sent.push([this.nameOf(target), event.type]);
      relay(source, target, event);
    };
    this.root.subscribe({ error: () => undefined });
    this.adopt(this.root);
    this.root.start();
  }

  nameOf(actor) {
    if (!actor._parent) return actor.logic.id;
    return actor._parent._parent ? `${this.nameOf(actor._parent)}.${actor.id}` : actor.id;
  }

  /** Puts a mailbox of ours in the place of XState's, and watches the start. */
  adopt(actor) {
    const name = this.nameOf(actor);
    const entry = { actor, name, queue: [], isOn: false, isBusy: false, toStop: false };
    this.actors.push(entry);
    actor.mailbox = {
      start: () => { entry.isOn = true; },
      clear: () => { entry.queue.length = 0; },
      enqueue: (event) => this.enqueue(entry, event),
    };
    const start = actor.start.bind(actor);
    actor.start = () => {
      // XState starts children twice, where the second time does nothing.
      if (actor._processingStatus === 0) this.framed(entry, undefined, start);
    };
    for (const child of Object.values(actor._snapshot.children ?? {})) this.adopt(child);
  }

  enqueue(entry, event) {
    if (event.type === 'xstate.stop') {
      if (entry.isBusy) entry.toStop = true;
      else entry.actor._process(event);
      return;
    }
    entry.queue.push(event);
    this.longest.set(entry.name, Math.max(entry.queue.length, this.longest.get(entry.name) ?? 0));
    while (this.nested > 0 && this.canTake(entry) && this.random.chance(this.nested)) this.take(entry);
  }

  canTake({ actor, queue, isOn, isBusy }) {
    return this.left > 0 && isOn && !isBusy && queue.length > 0 && actor._processingStatus === 1;
  }

  take(entry) {
    this.left -= 1;
    const event = entry.queue.shift();
    this.framed(entry, event.type, () => entry.actor._process(event));
  }

  framed(entry, took, run) {
    const before = this.placeOf(entry);
    const frame = { actor: entry.actor, sent: [] };
    this.frames.push(frame);
    entry.isBusy = true;
    run();
    entry.isBusy = false;
    this.frames.splice(this.frames.indexOf(frame), 1);
    if (entry.actor._snapshot.status === 'error') throw entry.actor._snapshot.error;
    this.told({ name: entry.name, took, sent: frame.sent, before: took === undefined ? undefined : before, after: this.placeOf(entry) });
    if (entry.toStop) {
      entry.toStop = false;
      entry.actor._process({ type: 'xstate.stop' });
    }
  }

  /** The active states in XState's order, and the timers that are armed. */
  placeOf({ actor }) {
    const { status, _nodes: nodes } = actor._snapshot;
    if (status !== 'active') return status;
    const scheduled = Object.values(this.system._snapshot._scheduledEvents).filter(({ source }) => source === actor);
    return JSON.stringify([nodes.map(({ id }) => id), scheduled.map(({ event }) => event.type).sort()]);
  }

  /**
   * One step of somebody, if there is one: a message is taken, a timer runs off, or an outsider
   * sends an event.
   */
  step(environment) {
    const steps = this.actors.filter((entry) => this.canTake(entry)).map((entry) => () => this.take(entry));
    for (const [id, run] of this.timers) {
      steps.push(() => {
        this.timers.delete(id);
        run();
      });
    }
    for (const entry of this.actors) {
      if (!entry.isOn || entry.actor._processingStatus !== 1) continue;
      for (const type of environment[entry.name] ?? []) steps.push(() => this.framed(entry, `outside ${type}`, () => entry.actor._process({ type })));
    }
    if (!steps.length) return false;
    this.random.one(steps)();
    return true;
  }
}
