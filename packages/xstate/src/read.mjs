// Reads the configuration of a machine. What is not known here is refused, never passed over.
import { actionsOf, eventType } from './actions.mjs';
import { guard, own, pure, pureValues } from './functions.mjs';
import { items, plain, refuse, shown } from './refusal.mjs';

const STATE = ['id', 'type', 'initial', 'states', 'on', 'always', 'entry', 'exit', 'after', 'onDone', 'output', 'tags', 'meta', 'description'];
const ROOT = [...STATE, 'context', 'types', 'schemas', 'version', 'invoke'];
const FINAL = ['id', 'type', 'entry', 'exit', 'output', 'tags', 'meta', 'description'];
const TRANSITION = ['target', 'guard', 'actions', 'reenter', 'description', 'meta'];
const INVOKE = ['id', 'src', 'input', 'onDone'];
const NODES = 1000;
const DEEP = 50;

/** Reads a machine, or a configuration on its own, for a place in the tree of actors. */
export function read(machine, where, options, hasParent) {
  const { config, implementations } = partsOf(machine, where);
  const reader = { options, implementations, hasParent, inside: [], sends: [], uses: new Set(), ids: new Map(), nodes: [], timers: [] };
  plain(config, where, ROOT);
  if (typeof config.context === 'function') pure(config.context, `${where}.context`, reader);
  reader.rootId = identifier(config.id ?? '(machine)', `${where}.id`);
  reader.children = childrenOf(config.invoke, `${where}.invoke`, reader);
  reader.invoked = reader.children.map(({ id }) => id);
  const root = nodeOf(config, where, undefined, reader.rootId, reader);
  for (const node of reader.nodes) finish(node, reader);
  for (const child of reader.children) {
    if (child.onDone !== undefined) put(root, `xstate.done.actor.${child.id}`, child.onDone, `${child.where}.onDone`, reader);
  }
  for (const node of reader.nodes) timersOf(node, reader);
  const { nodes, timers, children, sends, uses } = reader;
  return { id: reader.rootId, root, nodes, timers, children, sends, uses };
}

/**
 * The configuration, and what names in it stand for: of a machine that XState has made, or the
 * former alone.
 */
function partsOf(machine, where) {
  if (machine === null || typeof machine !== 'object') refuse(where, `${shown(machine)} is no machine`);
  if (machine.__xstatenode === true) {
    const isKnown = typeof machine.implementations?.actions === 'object' && machine.idMap instanceof Map;
    if (!isKnown) refuse(where, 'this machine is of another version of XState', 'version 5 is supported');
    return { config: machine.config, implementations: machine.implementations };
  }
  return { config: machine, implementations: undefined };
}

/** A key or an id that stands for itself in targets. */
function identifier(name, where) {
  if (typeof name !== 'string' || !name) refuse(where, `${shown(name)} is no name`);
  if (/[.#\\*]/.test(name) || /^\d+$/.test(name) || name in Object.prototype) {
    refuse(where, `the name '${name}' is not supported`, 'use one without `.`, `#`, `*` and `\\` that is no number');
  }
  return name;
}

function childrenOf(invoke, where, reader) {
  const found = items(invoke, where).map(([item, place]) => {
    const { id, src, input, onDone } = plain(item, place, INVOKE);
    if (id === undefined) refuse(place, 'the child has no `id`');
    pureValues(input, `${place}.input`, reader);
    const known = typeof src === 'string' ? own(reader.implementations?.actors, src) : src;
    if (src === undefined) refuse(place, 'the child has no `src`');
    return { id: identifier(id, `${place}.id`), machine: known, onDone, where: place };
  });
  const twice = found.find(({ id }, index) => found.findIndex((other) => other.id === id) < index);
  if (twice) refuse(twice.where, `the id '${twice.id}' is given twice`);
  return found;
}

/** A node with those below it, without what refers to others: targets can be anywhere. */
function nodeOf(config, where, parent, key, reader) {
  const children = Object.entries(config.states === undefined ? {} : plain(config.states, `${where}.states`));
  const type = typeOf(config, children.length, where, parent);
  const keys = type === 'final' ? FINAL : parent ? STATE : ROOT;
  for (const name of Object.keys(config)) {
    if (!keys.includes(name) && config[name] !== undefined) refuse(`${where}.${name}`, `\`${name}\` is not supported here`, advice(name, type));
  }
  const path = parent ? `${parent.path}.${key}` : key;
  const depth = parent ? parent.depth + 1 : 0;
  if (depth > DEEP) refuse(path, `states are nested more than ${DEEP} deep`);
  const node = { index: reader.nodes.length, key, path, depth, type, parent, config, where, children: [], transitions: new Map(), always: undefined };
  node.id = config.id === undefined ? path : identifier(config.id, `${where}.id`);
  if (reader.ids.has(node.id)) refuse(where, `the id '${node.id}' is given twice`);
  if (node.index >= NODES) refuse(where, `there are more than ${NODES} states`);
  reader.ids.set(node.id, node);
  reader.nodes.push(node);
  for (const [name, inner] of children) {
    const place = `${where}.states.${name}`;
    plain(inner, place);
    node.children.push(nodeOf(inner, place, node, identifier(name, place), reader));
  }
  node.initial = initialOf(node);
  pureValues(config.output, `${where}.output`, reader);
  return node;
}

function advice(name, type) {
  if (name === 'invoke') return 'children are invoked by the root of the machine, and live as long as it does';
  if (name === 'history' || type === 'history') return 'history states are not supported';
  return undefined;
}

function typeOf({ type, history }, children, where, parent) {
  if (history !== undefined || type === 'history') refuse(where, 'history states are not supported');
  if (type === 'final' && !parent) refuse(where, 'the root cannot be final');
  const made = children ? 'compound' : 'atomic';
  const fitting = children ? [undefined, 'compound', 'parallel'] : [undefined, 'atomic', 'final'];
  if (!fitting.includes(type)) refuse(`${where}.type`, `the type ${shown(type)} does not fit`);
  return type ?? made;
}

function initialOf({ type, config, children, where }) {
  if (type !== 'compound') {
    return config.initial === undefined ? undefined : refuse(`${where}.initial`, 'only states with one active state below them have an initial one');
  }
  const found = children.find(({ key }) => key === config.initial);
  return found ?? refuse(`${where}.initial`, `${shown(config.initial)} is the key of no state here`);
}

/** Actions and transitions of a node, in the order in which XState keeps them. */
function finish(node, reader) {
  const { config, where } = node;
  node.entry = actionsOf(config.entry, `${where}.entry`, reader);
  node.exit = actionsOf(config.exit, `${where}.exit`, reader);
  for (const [descriptor, value] of Object.entries(config.on === undefined ? {} : plain(config.on, `${where}.on`))) {
    const place = `${where}.on.${descriptor}`;
    if (!descriptor || /\*(?!$)|[^.]\*$/.test(descriptor)) refuse(place, `'${descriptor}' is no name of events`);
    put(node, descriptor, value === undefined ? {} : value, place, reader);
  }
  if (config.onDone !== undefined) put(node, `xstate.done.state.${node.id}`, config.onDone, `${where}.onDone`, reader);
  if (config.always !== undefined) node.always = transitionsOf(node, config.always, `${where}.always`, reader);
}

function put(node, descriptor, value, where, reader) {
  node.transitions.set(descriptor, transitionsOf(node, value, where, reader));
}

function transitionsOf(node, value, where, reader) {
  if (Array.isArray(value) && !value.length) refuse(where, 'the list is empty', 'leave it out; to forbid an event write `undefined`');
  return items(value, where).map(([item, place]) => transitionOf(node, item, place, reader));
}

function transitionOf(source, item, where, reader) {
  const given = typeof item === 'string' ? { target: item } : plain(item, where, TRANSITION);
  const { reenter = false } = given;
  if (typeof reenter !== 'boolean') refuse(`${where}.reenter`, 'it is neither true nor false');
  if (given.guard !== undefined) {
    guard(given.guard, `${where}.guard`, reader);
    reader.uses.add('guards');
  }
  const actions = actionsOf(given.actions, `${where}.actions`, reader);
  return { source, targets: targetsOf(source, given.target, where, reader), reenter, guarded: given.guard !== undefined, actions };
}

function targetsOf(source, target, where, reader) {
  const [[found] = [], ...others] = items(target, where);
  if (found === undefined && !Array.isArray(target)) return [];
  if (others.length || typeof found !== 'string' || !found) refuse(where, 'the target is not the name of one state');
  return [resolved(source, found, where, reader)];
}

/** The state that a target names: `#id`, `#id.key`, `.child`, `sibling`, `sibling.child`. */
function resolved(source, target, where, reader) {
  const lost = () => refuse(where, `the target '${target}' is no state`);
  const [first, ...rest] = target.split('.');
  if (first.startsWith('#')) return below(reader.ids.get(first.slice(1)) ?? lost(), rest, lost);
  if (first === '') return below(source, rest, lost);
  return source.parent ? below(source.parent, [first, ...rest], lost) : refuse(where, `from the root the target '${target}' is no state`, `write '.${target}'`);
}

function below(node, keys, lost) {
  return keys.reduce((at, key) => at.children.find((child) => child.key === key) ?? lost(), node);
}

/**
 * Delayed transitions: entering the state arms a timer, which sends an event to the machine itself.
 */
function timersOf(node, reader) {
  if (node.config.after === undefined) return;
  const place = `${node.where}.after`;
  for (const [delay, value] of Object.entries(plain(node.config.after, place))) {
    const where = `${place}.${delay}`;
    if (value === undefined) refuse(where, 'there is no transition');
    if (!/^(0|[1-9]\d{0,14})$/.test(delay)) namedDelay(delay, where, reader);
    const event = `xstate.after.${delay}.${node.id}`;
    const timer = { index: reader.timers.length, event, node };
    reader.timers.push(timer);
    reader.uses.add('timers');
    node.entry.push({ kind: 'arm', timer });
    node.exit.push({ kind: 'disarm', timer });
    const earlier = node.transitions.get(event) ?? [];
    node.transitions.set(event, [...earlier, ...transitionsOf(node, value, where, reader)]);
  }
}

/** A delay with a name that XState finds no number for is none at all. */
function namedDelay(delay, where, reader) {
  const found = own(reader.implementations?.delays, delay);
  if (!Number.isNaN(+delay) || typeof found !== 'number') refuse(where, `the delay '${delay}' is not known to be a number`, 'write it in milliseconds');
}

/** Types of events that outsiders may send. */
export function outside(list, where) {
  if (!Array.isArray(list)) refuse(where, 'it is no list of types of events');
  return [...new Set(list.map((type, index) => eventType(type, `${where}[${index}]`)))];
}
