import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../src/index.js';
import { machines } from './machines.js';

for (const { name, machine, options = {}, children, expect } of machines) {
  test(`${name} is ${expect.verdict}`, async () => {
    const found = await check(machine, children ? { ...options, children: children(machine) } : options);
    assert.equal(found.verdict, expect.verdict, found.reason);
    if (expect.bounds) {
      const bounds = Object.fromEntries(Object.entries(found.mailboxes).map(([path, { bound }]) => [path, bound]));
      assert.deepEqual(bounds, expect.bounds);
    }
    if (expect.reason) assert.match(found.reason, expect.reason);
    for (const path of expect.unbounded ?? []) assert.equal(found.mailboxes[path].verdict, 'unbounded');
  });
}

test('no two machines have one name', () => {
  assert.equal(new Set(machines.map(({ name }) => name)).size, machines.length);
  assert.ok(machines.length >= 20);
});
