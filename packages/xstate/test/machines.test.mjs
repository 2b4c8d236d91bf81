// What the package says of twenty machines, without XState.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { built } from '../../../docs/playground/wasm.mjs';
import { check } from '../src/index.mjs';
import { machinesWith } from './machines.mjs';
import * as plain from './plain.mjs';

const MACHINES = machinesWith(plain);
const wasm = readFileSync(built('dev'));
const text = (relative) => readFileSync(new URL(relative, import.meta.url), 'utf8');

test('there are twenty machines', () => {
  assert.equal(MACHINES.length, 20);
  assert.equal(new Set(MACHINES.map(({ name }) => name)).size, 20);
});

for (const { name, machine, options, verdict, bounds } of MACHINES) {
  test(name, async () => {
    const found = await check(machine, { ...options, wasm });
    assert.equal(found.verdict, verdict, found.why);
    assert.equal(found.why === null, verdict === 'bounded');
    for (const [mailbox, most] of Object.entries(bounds ?? {})) {
      assert.ok(found.mailboxes[mailbox].bound >= most, `${mailbox}: ${found.mailboxes[mailbox].bound} is below ${most}`);
    }
    if (verdict !== 'unbounded') return;
    assert.ok(found.run.loop.some(({ sends }) => sends));
    const [outsider] = options?.environment ?? [];
    if (outsider) assert.ok(found.run.loop.some(({ what }) => what === `takes ${outsider} from outside`));
  });
}

test('the solver is called as on the page', () => {
  assert.equal(text('../src/module.js'), text('../../../docs/playground/module.js'));
});

test('the version is the one of the workspace', () => {
  const [, version] = /^version = "(.*)"$/m.exec(text('../../../Cargo.toml'));
  assert.equal(JSON.parse(text('../package.json')).version, version);
});
