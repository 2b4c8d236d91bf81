// Which transitions are enabled. A guard may say true or false, each time that it is asked: there
// are several answers.
import { refuse } from './refusal.mjs';

const ANSWERS = 4096;

/**
 * Whether a descriptor of `on` takes events of a type: itself, `*`, or `a.*` for `a` and all that
 * begins with `a.`.
 */
export function matches(type, descriptor) {
  if (descriptor === type || descriptor === '*') return true;
  if (!descriptor.endsWith('.*')) return false;
  const before = descriptor.split('.').slice(0, -1);
  const tokens = type.split('.');
  return before.every((token, index) => token === tokens[index]);
}

/**
 * Each transition of a node that may be the one for a type of events; nothing, if all guards may
 * fail. Where the guards of those that name the type fail, some versions of XState go on to
 * wildcards and others do not: both.
 */
function choicesOf(node, type) {
  const exact = node.transitions.get(type) ?? [];
  const others = [...node.transitions.keys()].filter((descriptor) => descriptor !== type && matches(type, descriptor));
  others.sort((a, b) => b.length - a.length);
  const found = firsts([...exact, ...others.flatMap((descriptor) => node.transitions.get(descriptor))]);
  const mayEnd = exact.length > 0 && exact.every(({ guarded }) => guarded);
  return mayEnd && !found.includes(undefined) ? [...found, undefined] : found;
}

/** Each transition that may be the first with a guard that holds; nothing, if all may fail. */
function firsts(list) {
  const sure = list.findIndex(({ guarded }) => !guarded);
  return sure < 0 ? [...list, undefined] : list.slice(0, sure + 1);
}

function listed(first) {
  return first ? [first] : [];
}

/** All sets of transitions that an event may enable, as lists in XState's order. */
export function selections(root, nodes, type) {
  return below(root, nodes, type);
}

function below(node, nodes, type) {
  const active = nodes.filter(({ parent }) => parent === node);
  const inner = product(active.map((child) => below(child, nodes, type)), node);
  if (!inner.some((list) => list.length === 0)) return inner;
  const found = choicesOf(node, type).map(listed);
  return [...inner.filter((list) => list.length > 0), ...found];
}

/** The same for transitions without an event: each atomic state asks upwards. */
export function eventless(nodes) {
  const atomic = nodes.filter(({ children }) => children.length === 0);
  const answers = atomic.map((node) => {
    const list = [];
    for (let at = node; at; at = at.parent) list.push(...(at.always ?? []));
    return firsts(list).map(listed);
  });
  return product(answers, nodes[0]).map((list) => [...new Set(list)]);
}

/** One answer of each, put together, in all ways. */
function product(answers, node) {
  let all = [[]];
  for (const some of answers) {
    all = all.flatMap((list) => some.map((more) => [...list, ...more]));
    if (all.length > ANSWERS) refuse(node.where, 'there are too many combinations of guards', 'split the machine into several');
  }
  return all;
}
