// Actions that are read, and what each becomes: a message, an event of one's own, or nothing.
import { named, own, pure } from './functions.mjs';
import { items, plain, refuse, shown } from './refusal.mjs';

/** The event of a function: any that the target tells apart. */
export const ANY = '*';

/** The actions of a list, in order. */
export function actionsOf(value, where, reader) {
  return items(value, where).map(([action, place]) => actionOf(action, place, reader));
}

function actionOf(action, where, reader) {
  if (typeof action === 'function') {
    const made = builtIn(action, where, reader);
    return made ?? refuse(where, 'an action that is a function cannot be looked into', 'give it a name, and pass the name in `silent` if it sends nothing');
  }
  const name = named(action, where, reader);
  if (name in Object.prototype) refuse(where, `\`${name}\` is no good name for an action`);
  const found = own(reader.implementations?.actions, name);
  const silent = reader.options.silent.includes(name);
  if (found === undefined) {
    return silent ? { kind: 'hidden' } : refuse(where, `it is not known what the action \`${name}\` does`, 'pass its name in `silent` if it sends nothing');
  }
  const made = builtIn(found, where, reader);
  if (made) return made;
  if (!silent) refuse(where, `the action \`${name}\` is a function`, 'pass its name in `silent` if it sends nothing');
  pure(found, `actions.${name}`, reader);
  return { kind: 'silent' };
}

/** An action that XState's own functions have made; nothing for other functions. */
function builtIn(action, where, reader) {
  if (typeof action !== 'function') refuse(where, `${shown(action)} is no action`);
  if (typeof action.resolve !== 'function') return undefined;
  insistOnParts(action, where);
  switch (action.type) {
    case 'xstate.sendTo': return sendOf(action, where, reader);
    case 'xstate.raise': return raiseOf(action, where, reader);
    case 'xstate.assign': return assignOf(action.assignment, where, reader);
    case 'xstate.log': return logOf(action, where, reader);
    default: return refuse(where, `actions of the kind \`${action.type}\` are not supported`, 'supported: sendTo, sendParent, raise, assign, log');
  }
}

const COMMON = ['length', 'name', 'prototype', 'arguments', 'caller', 'type', 'resolve', 'execute', 'toJSON'];
const PARTS = {
  'xstate.sendTo': ['to', 'event', 'id', 'delay', 'retryResolve'],
  'xstate.raise': ['event', 'id', 'delay'],
  'xstate.assign': ['assignment'],
  'xstate.log': ['value', 'label'],
};

/** XState runs an action by its parts, whatever its type says: both must be of one kind. */
function insistOnParts(action, where) {
  const parts = PARTS[action.type];
  if (!parts) return;
  const found = Object.getOwnPropertyNames(action).filter((name) => !COMMON.includes(name));
  const odd = [...found.filter((name) => !parts.includes(name)), ...parts.filter((name) => name !== 'retryResolve' && !found.includes(name))];
  if (odd.length) refuse(where, `the action is not as XState makes it: \`${odd[0]}\``);
}

function sendOf({ to, event, delay }, where, reader) {
  if (delay !== undefined) refuse(where, 'messages with a delay are not supported', 'use `after`');
  reader.sends.push({ where, to: targetOf(to, where, reader), event: eventOf(event, where, reader) });
  const { to: target, event: type } = reader.sends.at(-1);
  return { kind: 'send', to: target, event: type };
}

const SELF = /^\(\s*\{\s*self\s*\}\s*\)\s*=>\s*self$/;

/** Who gets a message: `#_internal` for oneself, `#_parent`, or the id of a child. */
function targetOf(to, where, reader) {
  if (typeof to === 'function') {
    if (SELF.test(Function.prototype.toString.call(to))) return '#_internal';
    refuse(where, 'the target is computed by a function', 'name the child, or write `({ self }) => self`');
  }
  if (typeof to !== 'string') refuse(where, 'the target is no name', 'name the child that gets the message');
  if (to === '#_internal') return to;
  if (to === '#_parent') return reader.hasParent ? to : refuse(where, 'this machine has no parent');
  return reader.invoked.includes(to) ? to : refuse(where, `there is no child \`${to}\``, 'children are those that the root of the machine invokes');
}

/** The type of an event that is sent or raised. */
function eventOf(event, where, reader) {
  if (typeof event === 'function') {
    pure(event, where, reader);
    reader.uses.add('events that functions compute');
    return ANY;
  }
  if (typeof event === 'string') refuse(where, `XState does not take the string '${event}' as an event here`, 'write { type: ... }');
  const { type } = plain(event, where);
  return eventType(type, where);
}

export function eventType(type, where) {
  if (typeof type !== 'string' || !type) refuse(where, 'the event has no type');
  if (type.includes('*')) refuse(where, `the type '${type}' has a wildcard in it`);
  if (type.startsWith('xstate.')) refuse(where, `events of the type '${type}' are XState's own`);
  return type;
}

function raiseOf({ event, delay }, where, reader) {
  if (delay !== undefined) refuse(where, 'events that are raised with a delay are not supported', 'use `after`');
  return { kind: 'raise', event: eventOf(event, where, reader) };
}

function assignOf(assignment, where, reader) {
  if (typeof assignment === 'function') pure(assignment, where, reader);
  else {
    for (const [key, value] of Object.entries(plain(assignment, where))) {
      if (typeof value === 'function') pure(value, `${where}.${key}`, reader);
    }
  }
  return { kind: 'assign' };
}

function logOf({ value }, where, reader) {
  if (typeof value === 'function') pure(value, where, reader);
  return { kind: 'silent' };
}
