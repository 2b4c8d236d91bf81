// The machines of the tests in XState itself, with events and time from outside at random: no mailbox is
// ever longer than proved. Of some, the bound is met, so that it is no idle number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../src/index.js';
import { machines } from './machines.js';
import { run } from './run.js';

const RUNS = 40;

let met = 0;
for (const { name, machine, options = {}, endless, expect } of machines.filter((one) => one.expect.verdict === 'bounded')) {
  if (endless) continue;
  test(`${name} keeps to its bounds`, async () => {
    const { mailboxes } = await check(machine, options);
    const longest = {};
    for (let seed = 1; seed <= RUNS; seed++) {
      for (const [path, length] of Object.entries(await run(machine, options, seed))) {
        assert.ok(mailboxes[path], `${path} is no actor of the proof`);
        assert.ok(length <= mailboxes[path].bound, `${path}: ${length} wait, at most ${mailboxes[path].bound} are proved (seed ${seed})`);
        longest[path] = Math.max(longest[path] ?? 0, length);
      }
    }
    if (Object.entries(expect.bounds).some(([path, bound]) => bound > 0 && longest[path] === bound)) met += 1;
  });
}

test('bounds are met', () => assert.ok(met >= 8, `${met} only`));
