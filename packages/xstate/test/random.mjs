// Random machines of the language that is read, as XState's own, from a seed.

/** Numbers below 1 from a seed. */
export function numbersFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function choices(seed) {
  const number = numbersFrom(seed);
  const below = (count) => Math.floor(number() * count);
  const chance = (share) => number() < share;
  return { below, chance, one: (list) => list[below(list.length)], many: (count, make) => Array.from({ length: below(count + 1) }, make) };
}

const TYPES = ['A', 'B', 'C', 'a', 'a.x', 'a.y', 'a.y.z', 'b.x'];
const DESCRIPTORS = [...TYPES, ...TYPES, '*', 'a.*', 'a.y.*', 'b.*'];

/** The machine of an actor with its children, and types that outsiders may send to it. */
export function randomMachine(xstate, seed, shape = {}) {
  const random = choices(seed);
  const { guards = 0.4, timers = 0.15, computed = 0.05, finals = 0.15, depth = 2, children = 2, sends = 0.5, parallel = 0.3, always = 0.2 } = shape;
  const context = { xstate, random, guards, timers, computed, finals, sends, parallel, always, coin: shape.coin ?? numbersFrom(seed + 1) };
  const make = (level, hasParent) => {
    const names = level > 0 ? ['p', 'q'].slice(0, random.below(children + 1)) : [];
    const invoke = names.map((id) => ({ id, src: make(level - 1, true), ...(random.chance(0.3) ? { onDone: 'LATER' } : {}) }));
    return machineOf({ ...context, names, hasParent, invoke }, depth);
  };
  return make(2, false);
}

function machineOf(context, depth) {
  const { xstate, random, invoke, coin } = context;
  const nodes = [];
  const { config } = nodeOf(context, 'm', 'm', undefined, depth, nodes);
  config.id = 'm';
  for (const node of nodes) fill({ ...context, nodes }, node);
  config.context = { n: 0 };
  if (invoke.length) config.invoke = invoke.map((child) => (child.onDone ? { ...child, onDone: transition({ ...context, nodes }, nodes[0]) } : child));
  const guards = { coin: () => coin() < 0.5, other: xstate.not('coin') };
  const actions = { quiet: () => 1, counted: xstate.assign({ n: 3 }), raised: xstate.raise({ type: 'C' }) };
  const made = xstate.createMachine(config, { guards, actions, delays: { soon: 5 } });
  if (made.options) made.options.maxIterations = 2000;
  return made;
}

/** A node with those below it; `id` is what XState calls it. */
function nodeOf(context, key, id, parent, depth, nodes) {
  const { random, finals } = context;
  const config = {};
  const node = { key, id, parent, config, children: [] };
  nodes.push(node);
  const inner = depth > 0 && random.chance(parent ? 0.45 : 0.9) ? 1 + random.below(3) : 0;
  if (!inner) {
    if (parent && random.chance(finals)) config.type = 'final';
    else if (random.chance(0.1)) config.type = 'atomic';
  } else {
    const keys = ['s', 't', 'u'].slice(0, inner);
    if (random.chance(context.parallel)) config.type = 'parallel';
    else config.initial = random.one(keys);
    config.states = {};
    for (const name of keys) {
      const custom = random.chance(0.2) ? `id${nodes.length}` : undefined;
      const child = nodeOf(context, name, `${id}.${name}`, node, depth - 1, nodes);
      if (custom) child.config.id = custom;
      child.custom = custom;
      node.children.push(child);
      config.states[name] = child.config;
    }
  }
  return node;
}

function fill(context, node) {
  const { random, timers } = context;
  const { config } = node;
  const act = () => actions(context, 2);
  if (random.chance(0.35)) config.entry = act();
  if (random.chance(0.3)) config.exit = act();
  if (config.type === 'final') return;
  const on = Object.fromEntries(random.many(3, () => [random.one(DESCRIPTORS), transitions(context, node)]));
  if (Object.keys(on).length) config.on = on;
  if (random.chance(context.always)) config.always = random.chance(0.85) ? guardedOnly(context, node) : transitions(context, node);
  if (node.children.length && random.chance(0.6)) config.onDone = transitions(context, node);
  if (random.chance(timers)) config.after = Object.fromEntries([[random.one([10, 20, 'soon']), transitions(context, node) ?? {}], ...(random.chance(0.3) ? [[30, 'X']] : [])].map(([delay, value]) => [delay, value === 'X' ? transition(context, node) : value]));
}

function guardedOnly(context, node) {
  const make = () => ({ ...transition(context, node), guard: 'coin' });
  return [make(), ...context.random.many(1, make)];
}

function transitions(context, node) {
  const { random } = context;
  if (random.chance(0.07)) return undefined;
  if (random.chance(0.5)) return transition(context, node);
  return [transition(context, node), ...random.many(2, () => transition(context, node))];
}

function transition(context, node) {
  const { random, guards, coin } = context;
  const found = {};
  const to = random.chance(0.75) ? target(context, node) : undefined;
  if (to) found.target = random.chance(0.1) ? [to] : to;
  if (random.chance(0.25)) found.reenter = random.chance(0.8);
  if (random.chance(guards)) found.guard = random.one(['coin', 'other', { type: 'coin' }, () => coin() < 0.5]);
  if (random.chance(0.6)) found.actions = actions(context, 3);
  return found;
}

function target({ random, nodes }, node) {
  const beside = node.parent?.children ?? [];
  const ways = [() => (beside.length ? random.one(beside).key : undefined), () => (node.children.length ? `.${random.one(node.children).key}` : undefined)];
  ways.push(() => {
    const { children } = beside.length ? random.one(beside) : { children: [] };
    return children.length ? `${children[0].parent.key}.${random.one(children).key}` : undefined;
  });
  ways.push(() => {
    const found = random.one(nodes);
    if (found.custom) return `#${found.custom}`;
    return `#${found.id}`;
  });
  return random.one(ways)();
}

function actions(context, count) {
  const { random } = context;
  const list = Array.from({ length: 1 + random.below(count) }, () => action(context));
  return list.length === 1 && random.chance(0.5) ? list[0] : list;
}

function action(context) {
  const { xstate, random, sends, names, hasParent } = context;
  if (!random.chance(sends)) {
    return random.one([
      () => xstate.raise({ type: random.one(TYPES) }), () => xstate.assign({ n: 1 }), () => xstate.assign({ n: ({ context: { n } }) => n + 1 }),
      () => xstate.log('said'), () => 'quiet', () => ({ type: 'quiet' }), () => 'counted', () => 'raised', () => 'ghost',
    ])();
  }
  const event = eventOf(context);
  const targets = [() => xstate.sendTo(({ self }) => self, event), ...names.map((name) => () => xstate.sendTo(name, event))];
  if (hasParent) targets.push(() => xstate.sendParent(event), () => xstate.sendTo('#_parent', event));
  if (names.length || hasParent) targets.push(targets.at(-1), targets.at(-1));
  return random.one(targets)();
}

function eventOf({ random, computed, coin }) {
  if (random.chance(computed)) {
    const types = [random.one(TYPES), random.one(TYPES), 'unheard.of'];
    return random.chance(0.3) ? ({ event }) => event : () => ({ type: types[Math.floor(coin() * types.length)] });
  }
  return { type: random.one(TYPES) };
}
