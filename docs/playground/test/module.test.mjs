// The module in WebAssembly itself: what it answers to models in several languages.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { checkModel } from '../module.js';
import { built } from '../wasm.mjs';

const bytes = () => readFile(built('dev'));
const ask = (request) => checkModel(bytes, request);
const example = (path) => readFile(new URL(`../../../examples/${path}`, import.meta.url), 'utf8');
const resultOf = (answer) => answer['property-results'][0];

test('a model that is bounded, and one that is not', async () => {
  const text = await example('models/two_processes.pml');
  const bounded = resultOf(await ask({ text, name: 'two_processes.pml' }));
  assert.equal(bounded.verdict, 'proved');
  assert.deepEqual(bounded.buffers.map(({ name, bound, exact }) => [name, bound, exact]), [['AB', 13, 7], ['BA', 4, 2]]);
  const flood = resultOf(await ask({ text: 'chan c = [3] of { byte }; active proctype P() { do :: c!1 od }' }));
  assert.equal(flood.verdict, 'refuted');
  assert.deepEqual(flood.witnesses[0].grows, [{ name: 'c', count: 1 }]);
});

test('machines in other formats', async () => {
  const text = 'C: rec x . S!ask; S?answer; x\nS: rec y . C?ask; C!answer; y\n';
  assert.equal(resultOf(await ask({ text, input: 'kmc' })).verdict, 'proved');
  const system = {
    schema: 'freeboard.system/1', name: 'one', order: 'fifo', buffers: [{ name: 'q', kind: 'queue' }], messages: [{ buffer: 0, name: 'm' }],
    classes: [{ name: 'P', instances: 1, initial: 0 }], states: [{ class: 0, name: 's' }],
    transitions: [{ source: 0, target: 0, events: [{ direction: 'send', message: 0 }] }],
  };
  assert.equal(resultOf(await ask({ text: JSON.stringify(system), input: 'json' })).verdict, 'refuted');
});

test('what is wrong is said, with its place', async () => {
  const answer = await ask({ text: 'active proctype P() {\n  nothing_of_the_kind = 1\n}', name: 'm.pml' });
  assert.equal(answer.schema, 'freeboard.error/1');
  assert.match(answer.error, /m\.pml:2/);
  assert.match((await ask({ colour: 'blue' })).error, /cannot be read/);
});

test('the clock is the one of the host', async () => {
  const text = await example('models/two_processes.pml');
  const asked = async (timeLimit) => {
    let calls = 0;
    await checkModel(bytes, { text, timeLimit }, () => (calls += 1));
    return calls;
  };
  assert.ok(await asked(3_600_000) > 0);
});
