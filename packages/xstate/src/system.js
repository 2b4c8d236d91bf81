// The actors of a system, and the Promela text in which each is a process and each mailbox a channel.
import { Extraction, OTHER } from './machine.js';
import { Unseen } from './oracle.js';

const MOST_ACTORS = 50;
/** Promela's mtype has so many values, one of which is none. */
const MOST_TYPES = 250;

/** All actors that a machine and its children can be: extractions with an index, a parent, an id. */
function actorsOf(machine, options) {
  const names = new Set(Object.values(options.environment ?? {}).flat());
  const build = () => {
    const actors = [];
    const add = (logic, id, path, parent) => {
      if (actors.length === MOST_ACTORS) throw new Unseen(`there are more than ${MOST_ACTORS} actors; one may be its own child`);
      const extraction = new Extraction(logic, path, parent === undefined, { ...options, universe: [...names].filter((name) => !name.includes('*') && !name.startsWith('xstate.')) });
      const actor = { index: actors.length, id, path, parent, extraction, kids: new Map() };
      actors.push(actor);
      for (const [child, { logic: inner, systemId }] of extraction.children) {
        const kid = add(inner, child, `${path}.${child}`, actor);
        kid.systemId = systemId;
        actor.kids.set(child, kid);
      }
      return actor;
    };
    add(machine, machine.id, machine.id, undefined);
    return actors;
  };
  for (const { extraction } of build()) extraction.names.forEach((name) => {
    names.add(name);
    // Some event that only a wildcard takes.
    if (name.endsWith('.*')) names.add(`${name.slice(0, -1)}${OTHER}`);
  });
  return build();
}

/** What each actor may be sent, by message or from outside, as far as it makes a difference. */
function typesOf(actor) {
  const types = actor.extraction.accepted();
  for (const [id] of actor.kids) {
    types.add(`xstate.done.actor.${id}`);
    types.add(`xstate.error.actor.${id}`);
  }
  for (const { type } of actor.extraction.spontaneous) types.add(type);
  return [...types];
}

function resolve(actors, from, to) {
  switch (to.kind) {
    case 'self':
      return from;
    case 'parent':
      return from.parent;
    case 'child':
      return from.kids.get(to.id);
    default: {
      const found = actors.filter((actor) => actor.systemId === to.name);
      if (found.length !== 1) throw new Unseen(`${from.path}: '${to.name}' is not one actor of the system with that systemId`);
      return found[0];
    }
  }
}

/** The events that come from outside to an actor. */
function outside(actor, environment) {
  if (environment === undefined) {
    return actor.parent ? [] : [...actor.extraction.accepted()].filter((type) => !type.startsWith('xstate.'));
  }
  return environment[actor.path] ?? environment[actor.id] ?? [];
}

/** The text, and the actors whose mailboxes are the channels `m0`, `m1`, ... of it. */
export function promelaOf(machine, options) {
  const actors = actorsOf(machine, options);
  for (const name of Object.keys(options.environment ?? {})) {
    if (!actors.some((actor) => actor.path === name || actor.id === name)) throw new Unseen(`the environment names '${name}', which is no actor of the system`);
  }
  for (const actor of actors) {
    actor.types = [...new Set([...typesOf(actor), ...outside(actor, options.environment)])];
    Object.assign(actor, actor.extraction.explore(actor.types));
    actor.later = new Set(outside(actor, options.environment));
  }
  for (const actor of actors) {
    for (const { to, types } of actor.extraction.delayed) {
      const target = resolve(actors, actor, to);
      const all = Array.isArray(types) ? types : target?.types ?? [];
      all.forEach((type) => target?.later.add(type));
    }
  }
  return { text: new Writer(actors).text(), actors };
}

class Writer {
  constructor(actors) {
    this.actors = actors;
    this.numbers = new Map();
    this.labels = 0;
  }

  type(name) {
    if (!this.numbers.has(name)) this.numbers.set(name, `e${this.numbers.size}`);
    return this.numbers.get(name);
  }

  text() {
    const bodies = this.actors.map((actor) => this.process(actor));
    if (this.numbers.size > MOST_TYPES) throw new Unseen(`there are more than ${MOST_TYPES} types of events`);
    const quiet = this.actors.map(({ index: i }) => `!b${i} && empty(m${i})`).join(' && ');
    return [
      ...this.actors.map(({ index, path }) => `// m${index}: mailbox of ${path.replaceAll(/\s/g, ' ')}`),
      ...[...this.numbers].map(([name, number]) => `// ${number}: ${name.replaceAll(/\s/g, ' ')}`),
      `mtype = { ${[...this.numbers.values(), 'none'].join(', ')} };`,
      ...this.actors.map(({ index }) => `chan m${index} = [1] of { mtype };`),
      'chan unsupported = [1] of { mtype };',
      '// a: alive; b: busy; g: to be started; x: to be stopped; u: its name is gone; r: its name was found',
      ...this.actors.map(({ index: i, parent, systemId }) => (parent ? `bit a${i}, b${i}, g${i}, x${i}${systemId ? `, u${i}` : ''};` : `bit a${i} = 1, b${i} = 1;`)),
      `#define QUIET (${quiet})`,
      ...bodies,
      '',
    ].join('\n');
  }

  process(actor) {
    const { index: i, parent, initial, configurations } = actor;
    actor.labels = new Map([...configurations.keys()].map((key, at) => [key, `C${i}_${at}`]));
    const off = parent ? [`  atomic { g${i} -> g${i} = 0 };`] : [];
    const lines = [
      `active proctype P${i}() {`,
      ...this.actors.filter(({ systemId }) => systemId).map(({ index: t }) => `  bit r${t};`),
      ...(parent ? [`OFF${i}:`] : []),
      ...off,
      ...this.ways(actor, initial),
      ...[...configurations.values()].flatMap((configuration) => this.idle(actor, configuration)),
      ...(parent ? [`STOP${i}:`, ...this.stopKids(actor), ...this.die(actor, undefined)] : []),
      `DONE${i}:`,
      ...this.stopKids(actor),
      ...this.die(actor, 'done'),
      `FAIL${i}:`,
      ...this.die(actor, 'error'),
      ...(actor.kids.size > 0 ? [`TRAP${i}:`, '  do :: unsupported!none od;'] : []),
      `END${i}: skip`,
      '}',
    ];
    return lines.join('\n');
  }

  idle(actor, configuration) {
    const { index: i } = actor;
    const label = actor.labels.get(configuration.key);
    const isNothing = ({ effects, to }) => effects.length === 0 && to === configuration.key;
    const mayFail = actor.extraction.mayFail;
    const lines = [`${label}:`, `  b${i} = 0;`, '  if'];
    for (const [type, outcomes] of configuration.steps) {
      const number = this.type(type);
      if (outcomes.every(isNothing)) lines.push(`  :: m${i}?${number} -> goto ${label}`);
      else lines.push(`  :: atomic { m${i}?${number} -> b${i} = 1 };`, ...this.ways(actor, outcomes, mayFail));
    }
    for (const outcomes of this.spontaneous(actor, configuration)) {
      const some = outcomes.filter((outcome) => !isNothing(outcome));
      if (some.length > 0) lines.push(`  :: atomic { QUIET -> b${i} = 1 };`, ...this.ways(actor, some, mayFail));
    }
    if (actor.parent) lines.push(`  :: atomic { x${i} -> b${i} = 1 }; goto STOP${i}`);
    lines.push('  fi;');
    return lines;
  }

  /** The outcomes of what comes without a message: timers, promises, events from outside. */
  spontaneous(actor, { nodes, steps }) {
    const types = new Set(actor.later);
    for (const { type, node } of actor.extraction.spontaneous) {
      if (node === undefined || nodes.has(node)) types.add(type);
    }
    return [...types].filter((type) => steps.has(type)).map((type) => steps.get(type));
  }

  ways(actor, outcomes, mayFail = actor.extraction.mayFail) {
    const lines = ['    if'];
    for (const { effects, to, snapshot } of outcomes) {
      const end = snapshot.status === 'active' ? actor.labels.get(to) : snapshot.status === 'done' ? `DONE${actor.index}` : `FAIL${actor.index}`;
      const early = this.createdEarly(actor, effects);
      lines.push('    :: true ->', ...this.lookedUp(actor, effects));
      lines.push(...this.unregistered(actor, effects, snapshot.status), ...early.flatMap((kid) => this.create(actor, kid)));
      effects.forEach((_, at) => lines.push(...this.effect(actor, effects, at, early)));
      lines.push(`      goto ${end}`);
    }
    if (mayFail) lines.push('    :: true ->', `      goto FAIL${actor.index}`);
    lines.push('    fi;');
    return lines;
  }

  /**
   * The children that others may send to, by their names in the system, before they are started: they are
   * created when the step begins, and other effects of the step come before their start.
   */
  createdEarly(actor, effects) {
    const early = [];
    effects.forEach(({ kind, child }, at) => {
      const kid = kind === 'start' ? actor.kids.get(child) : undefined;
      const before = effects.slice(0, at);
      const isOwnStop = (effect) => effect.kind === 'stop' && effect.child === child;
      if (!kid?.systemId || before.every(isOwnStop)) return;
      if (before.some(isOwnStop)) throw new Unseen(`${kid.path}: it has a systemId, and is stopped and started in a step that does more between`);
      early.push(kid);
    });
    return early;
  }

  /** Names in the system are looked up before anything of the step is carried out. */
  lookedUp(actor, effects) {
    const sends = effects.filter(({ kind, to }) => kind === 'send' && to.kind === 'system');
    const found = new Set(sends.map(({ to }) => resolve(this.actors, actor, to).index));
    return [...found].map((t) => `      r${t} = (a${t} && !x${t} && !u${t});`);
  }

  /** Names of children that the step stops are gone before anything of the step is carried out. */
  unregistered(actor, effects, status) {
    const stopped = effects.filter(({ kind }) => kind === 'stop').map(({ child }) => actor.kids.get(child));
    const gone = new Set(status === 'done' ? actor.kids.values() : stopped);
    return [...gone].filter((kid) => kid?.systemId).map(({ index: k }) => `      u${k} = 1;`);
  }

  create({ index: i }, { index: k, systemId }) {
    return [
      '      if',
      `      :: (a${k} || b${k}) -> goto TRAP${i}`,
      `      :: atomic { (!a${k} && !b${k}) -> a${k} = 1; b${k} = 1${systemId ? `; u${k} = 0` : ''} }`,
      '      fi;',
    ];
  }

  effect(actor, effects, at, early) {
    const effect = effects[at];
    if (effect.kind === 'send') {
      const target = resolve(this.actors, actor, effect.to);
      if (!target) return [];
      if (effect.to.kind !== 'system') return this.some(actor, target, effect.types);
      const own = this.some(actor, actor, effect.types);
      const last = effects.slice(0, at).findLast(({ kind, child }) => kind !== 'send' && actor.kids.get(child) === target);
      // Where the system has no such actor, XState sends to the sender itself.
      if (last) return last.kind === 'start' ? this.some(actor, target, effect.types) : own;
      const { index: t } = target;
      return ['      if', `      :: r${t} ->`, ...this.some(actor, target, effect.types), `      :: !r${t} ->`, ...own, '      fi;'];
    }
    const kid = actor.kids.get(effect.child);
    if (!kid) return [];
    const { index: k } = kid;
    if (effect.kind === 'stop') return this.stop(kid);
    const created = early.includes(kid) ? [] : this.create(actor, kid);
    return [...created, `      g${k} = 1; (!b${k} && empty(m${k}));`];
  }

  /** One of several messages. */
  some(actor, target, types) {
    const all = types === 'any' ? target.types : types;
    if (all.length === 1) return this.put(actor, target, all[0]);
    return ['      if', ...all.flatMap((type) => ['      :: true ->', ...this.put(actor, target, type)]), '      fi;'];
  }

  /** A message: an idle receiver takes it, and all that follows, before the sender goes on. */
  put(actor, target, type) {
    const { index: t } = target;
    if (!target.types.includes(type)) target.configurations.forEach(({ steps }) => {
      if (!steps.has(type)) throw new Unseen(`${target.path}: it is sent '${type}', which was not foreseen`);
    });
    const number = this.type(type);
    if (target === actor) return [`      m${t}!${number};`];
    return [
      '      if',
      ...this.orphan(actor, target),
      `      :: (!a${t})`,
      `      :: atomic { (a${t} && !b${t} && empty(m${t})) -> m${t}!${number} }; (!b${t} && empty(m${t}))`,
      `      :: atomic { (a${t} && (b${t} || nempty(m${t}))) -> m${t}!${number} }`,
      '      fi;',
    ];
  }

  /** The parent may be a later one with the same id: what the former one's child sends it is lost. */
  orphan(actor, target) {
    return target === actor.parent && target.parent ? ['      :: true'] : [];
  }

  stop({ index: k }) {
    return [
      '      if',
      `      :: (!a${k})`,
      `      :: atomic { (a${k} && !b${k}) -> x${k} = 1 }; (!a${k})`,
      `      :: atomic { (a${k} && b${k}) -> x${k} = 1 }`,
      '      fi;',
    ];
  }

  stopKids(actor) {
    return [...actor.kids.values()].flatMap((kid) => this.stop(kid));
  }

  /** The end of an actor: its mailbox is emptied, and its parent told. */
  die(actor, news) {
    const { index: i, id, parent } = actor;
    const told = [];
    if (parent && news) {
      const { index: p } = parent;
      told.push('    if', ...this.orphan(actor, parent), `    :: a${p} -> m${p}!${this.type(`xstate.${news}.actor.${id}`)}`, `    :: !a${p}`, '    fi;');
    }
    return [
      '  atomic {',
      parent ? `    a${i} = 0; x${i} = 0;` : `    a${i} = 0;`,
      `    do :: nempty(m${i}) -> m${i}?_ :: empty(m${i}) -> break od;`,
      ...told,
      `    b${i} = 0`,
      '  };',
      `  goto ${parent ? `OFF${i}` : `END${i}`};`,
    ];
  }
}
