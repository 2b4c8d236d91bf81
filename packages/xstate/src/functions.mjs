// Functions of a machine. Nobody can look inside: the caller says that they are pure, and what
// their text betrays is refused.
import { items, plain, refuse, shown } from './refusal.mjs';

const BETRAYS = /\b(spawn\w*|send\w*|raise|emit|stop|stopChild|enqueue\w*|cancel|forwardTo|self|system|throw|createActor|_(parent|send|relay|process|stop))\b/;

/**
 * Insists on the caller's word that a function is pure, and on a text that does not say otherwise.
 */
export function pure(value, where, { options }) {
  if (options.pure !== true) {
    refuse(where, 'there is a function, which cannot be looked into', 'if no function sends, starts, stops or throws anything, pass `pure: true`');
  }
  const text = Function.prototype.toString.call(value);
  const [word] = BETRAYS.exec(text) ?? [];
  if (word) refuse(where, `the function has the word \`${word}\`, so that it may not be pure`, 'write what it does as actions');
  if (text.includes('[native code]')) refuse(where, 'the function is bound or built in, so that it cannot be read');
  if (/^(async|function\s*\*)/.test(text)) refuse(where, 'the function is asynchronous or a generator');
}

/** A value that may have functions one level deep, as `params` and `output` have. */
export function pureValues(value, where, reader) {
  if (typeof value === 'function') pure(value, where, reader);
  else if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      if (typeof value[key] === 'function') pure(value[key], `${where}.${key}`, reader);
    }
  }
}

/**
 * A guard. It is taken as true or false, whatever it says: all that matters is that it does nothing
 * else.
 */
export function guard(value, where, reader) {
  if (typeof value === 'function' && 'check' in value) {
    if ('stateValue' in value) return;
    if (!Array.isArray(value.guards)) refuse(where, 'this kind of guard is not known');
    for (const [inner, place] of items(value.guards, `${where}.guards`)) guard(inner, place, reader);
    return;
  }
  if (typeof value === 'function') return pure(value, where, reader);
  const name = named(value, where, reader);
  if (reader.options.pure !== true) refuse(where, `there is a guard, \`${name}\``, 'if it does nothing but look, pass `pure: true`');
  const { guards } = reader.implementations ?? {};
  const found = own(guards, name);
  if (found !== undefined) {
    if (reader.inside.includes(found)) refuse(where, `the guard \`${name}\` is made of itself`);
    guard(found, `guards.${name}`, { ...reader, inside: [...reader.inside, found] });
  } else if (reader.implementations) refuse(where, `there is no guard \`${name}\``, 'pass the machine with its guards');
}

/** The name in `'name'` or `{ type: 'name', params }`. */
export function named(value, where, reader) {
  if (typeof value === 'string' && value) return value;
  if (value === null || typeof value !== 'object') refuse(where, `${shown(value)} cannot stand here`);
  const { type, params } = plain(value, where, ['type', 'params']);
  if (typeof type !== 'string' || !type) refuse(where, 'it has no name');
  pureValues(params, `${where}.params`, reader);
  return type;
}

/** What a list of implementations has under a name. */
export function own(list, name) {
  return list && Object.hasOwn(list, name) ? list[name] : undefined;
}
