/** What the reader does not take, with its place in the machine and what to do about it. */
export class Refusal extends Error {
  constructor(where, what, hint) {
    super(`${where}: ${what}${hint ? `; ${hint}` : ''}`);
    this.name = 'Refusal';
    this.where = where;
    this.what = what;
    this.hint = hint;
  }
}

export function refuse(where, what, hint) {
  throw new Refusal(where, what, hint);
}

/**
 * An object that is plain: nothing inherited, nothing computed when it is read, known keys only.
 */
export function plain(value, where, keys) {
  const proto = value !== null && typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  if (proto !== Object.prototype && proto !== null) refuse(where, `${shown(value)} is no plain object`);
  for (const key of Object.getOwnPropertyNames(value)) {
    const { get, set, enumerable } = Object.getOwnPropertyDescriptor(value, key);
    if (get || set || !enumerable) refuse(`${where}.${key}`, 'it is computed or hidden', 'write a plain value');
    if (keys && !keys.includes(key)) refuse(`${where}.${key}`, `\`${key}\` is not supported here`, `supported: ${keys.join(', ')}`);
  }
  return value;
}

/** The items of a list; one that is no list is a list of one, and what is missing an empty one. */
export function items(value, where) {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [[value, where]];
  if (Object.keys(value).length !== value.length) refuse(where, 'the list has holes');
  return value.map((item, index) => [item, `${where}[${index}]`]);
}

export function shown(value) {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  return value !== null && typeof value === 'object' ? 'this object' : String(value);
}
