// What is read of functions without running them, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEmpty, eventTypes, literalType, onlyData } from '../src/expressions.js';

test('a type that stands in the only literal is known', () => {
  for (const text of ["() => ({ type: 'A' })", "({ context }) => ({ type: 'A', n: context.n, list: [1, { type: 'B' }] })", '({event})=>({type:"A",event})', "(_, x) => ({ type: 'A', f: (y, z) => y, s: ')},' })"]) {
    assert.equal(literalType(text), 'A', text);
  }
});

test('a type that may be another one is not', () => {
  for (const text of [
    "() => ({ type: 'A', ...more })", "() => ({ type: 'A', type: 'B' })", "() => ({ type: 'A', ['type']: 'B' })", "() => ({ type: 'A', 'type': 'B' })",
    "() => ({ type: 'A', get type() { return 'B' } })", "() => ({ type: 'A' }, { type: 'B' })", "(x) => x ? { type: 'A' } : { type: 'B' }",
    "() => ({ type: 'A' } && other)", "() => ({ type: `A` })", "() => ({ type: 'A' + b })", "() => { return { type: 'A' } }", "async () => ({ type: 'A' })",
    "() => ({ type: x ? 'A' : 'B' })", "() => ({ type: 'A', /* } */ ...more })", "(a = () => ({ type: 'B' })) => ({ type: 'A' })", "() => ({ type: 'A', __proto__: x })",
    "() => () => ({ type: 'A' })",
  ]) {
    assert.equal(literalType(text), undefined, text);
  }
  assert.equal(eventTypes(({ context }) => context.event), 'any');
  assert.equal(eventTypes(({ event }) => event), 'current');
});

test('functions of assign take data only', () => {
  const fine = [({ context }) => context.n + 1, ({ context, event }) => [context, event], () => 0, (args) => args.context.n];
  for (const one of fine) onlyData(one, ['context', 'event'], 'here');
  const bad = [({ spawn }) => spawn('x'), (args) => args.spawn('x'), (args) => args['sp' + 'awn']('x'), ({ self }) => self, (args) => ((a) => a)(args), ({ context, ...rest }) => rest, Math.max, function () { return arguments[0]; }];
  for (const one of bad) assert.throws(() => onlyData(one, ['context', 'event'], 'here'), /cannot be seen/, String(one));
});

test('only an empty body is empty', () => {
  assert.ok(isEmpty(() => {}) && isEmpty(function name() {}));
  assert.ok(!isEmpty(() => console) && !isEmpty(() => ({})) && !isEmpty(({ self }) => { self.send({ type: 'A' }); }));
  assert.ok(!isEmpty((a = {}) => {}));
});
