// The example of docs/reference/xstate.md prints what stands below it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { test } from 'node:test';
import * as xstate from 'xstate';
import { check } from '../src/index.js';

const page = readFileSync(new URL('../../../docs/reference/xstate.md', import.meta.url), 'utf8');

test('the page shows what its example prints', async () => {
  const [, code] = /```js\n([^]*?)```/.exec(page);
  const [, shown] = /```console\n([^]*?)```/.exec(page);
  const body = code.replaceAll(/^import .*\n/gm, '');
  const printed = [];
  const console = { log: (...values) => printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value, { breakLength: 200 }))).join(' ')) };
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('check', 'createMachine', 'sendParent', 'sendTo', 'console', body)(check, xstate.createMachine, xstate.sendParent, xstate.sendTo, console);
  assert.equal(`${printed.join('\n')}\n`, shown);
});
