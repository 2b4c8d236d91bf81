// What can be known of functions in a machine without running them in earnest. Guards, assigners,
// expressions and the functions of `enqueueActions` are taken as pure, as XState asks for: what they
// return depends on their arguments alone, and they send nothing.
import { Unseen } from './oracle.js';

/** Arguments that must not be looked at: then the result cannot depend on them. */
export function hidden(what) {
  const refuse = () => {
    throw new Unseen(what);
  };
  const traps = ['get', 'has', 'set', 'ownKeys', 'apply', 'getOwnPropertyDescriptor', 'getPrototypeOf'];
  return new Proxy(function () {}, Object.fromEntries(traps.map((trap) => [trap, refuse])));
}

/** The end of the string literal that begins at `from`. */
function literalEnd(text, from) {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[from]) return at;
  }
  return -1;
}

/**
 * The type of the object that `(...) => ({ type: 'X', ... })` returns, if it is written like that:
 * one object literal with one `type`, nothing spread or computed at its level. Otherwise undefined.
 */
export function literalType(text) {
  const head = /^\(?[^()]*\)?\s*=>\s*\(\s*\{\s*type\s*:\s*(['"])((?:(?!\1)[^\\\n])*)\1\s*(?=[,}])/.exec(text);
  if (!head || /=>/.test(head[0].slice(0, head[0].indexOf('=>')))) return undefined;
  let depth = 1;
  for (let at = head[0].length; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"' || sign === "'") {
      at = literalEnd(text, at);
      if (at < 0) return undefined;
    } else if (sign === '`' || sign === '/') return undefined;
    else if ('{[('.includes(sign)) depth++;
    else if ('}])'.includes(sign)) {
      depth--;
      if (depth === 0) return /^\}\s*\)\s*$/.test(text.slice(at)) ? head[2] : undefined;
    } else if (depth === 1 && sign === ',') {
      // The next property: a plain name other than `type`, or the end.
      if (!/^,\s*(?:\}|(?!type\b|__proto__\b)[A-Za-z_$][\w$]*\s*[,:}])/.test(text.slice(at))) return undefined;
    }
  }
  return undefined;
}

/** The event types of an event or of a function that computes one: a list, 'current' or 'any'. */
export function eventTypes(event) {
  if (typeof event === 'function') {
    const text = Function.prototype.toString.call(event);
    if (/^\(\{\s*event\s*\}\)\s*=>\s*event$/.test(text)) return 'current';
    const type = literalType(text);
    return type === undefined ? 'any' : [checkedType(type)];
  }
  if (typeof event === 'string') return [checkedType(event)];
  return [checkedType(event?.type)];
}

function checkedType(type) {
  if (typeof type !== 'string' || type === '' || type.includes('*') || type.startsWith('xstate.')) {
    throw new Unseen(`an event has the type ${JSON.stringify(type)}`);
  }
  return type;
}

/** Refuses a function that may use what is not data: spawn, self or system. */
export function onlyData(value, allowed, where) {
  if (typeof value !== 'function') return;
  const text = Function.prototype.toString.call(value);
  const complaint = `${where}: what the function does with its arguments cannot be seen (only ${allowed.join(', ')} may be taken out of them)`;
  if (/\[native code\]/.test(text) || /\b(spawn|arguments)\b/.test(text)) throw new Unseen(complaint);
  const pattern = /^(?:function\b\s*[\w$]*|[\w$]+)?\s*\(\s*\{([^{}]*)\}/.exec(text);
  if (pattern) {
    const names = pattern[1].split(',').map((part) => part.split(/[:=]/)[0].trim()).filter(Boolean);
    if (names.every((name) => allowed.includes(name))) return;
    throw new Unseen(complaint);
  }
  if (/^(?:function\b\s*[\w$]*|[\w$]+)?\s*\(\s*\)/.test(text)) return;
  const named = /^(?:(?:function\b\s*[\w$]*|[\w$]+)?\s*\(\s*([\w$]+)\s*[,)]|([\w$]+)\s*=>)/.exec(text);
  const name = named?.[1] ?? named?.[2];
  if (name) {
    const uses = text.slice(named[0].length).match(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])(\\s*\\.\\s*[\\w$]+)?`, 'g')) ?? [];
    const fine = uses.every((use) => allowed.some((one) => use.replaceAll(/\s/g, '') === `${name}.${one}`));
    if (fine) return;
  }
  throw new Unseen(complaint);
}

/** True if a function has an empty body. */
export function isEmpty(value) {
  return /^(?:function\b[^{}]*|\([^(){}]*\)\s*=>\s*|[\w$]+\s*\([^(){}]*\)\s*)\{\s*\}$/.test(Function.prototype.toString.call(value));
}
