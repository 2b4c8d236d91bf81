// The example of the README prints what stands below it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { built } from '../../../docs/playground/wasm.mjs';

const xstate = await import('xstate').catch(() => undefined);
const skip = xstate ? false : 'SKIPPED: xstate is not installed (npm install)';
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

test('the example of the README', { skip }, () => {
  const readme = readFileSync(path('../README.md'), 'utf8');
  const [, example, printed] = /```js\n([^]*?)```\n\nThis prints `(.*?)`/.exec(readme);
  const bytes = `import { readFileSync } from 'node:fs';\nconst wasm = readFileSync(${JSON.stringify(built('dev'))});\n`;
  const code = bytes + example.replace("'@freeboard/xstate'", "'../src/index.mjs'").replace('check(office)', 'check(office, { wasm })');
  mkdirSync(path('../dist'), { recursive: true });
  const file = path('../dist/example.mjs');
  writeFileSync(file, code);
  try {
    assert.equal(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim(), printed);
  } finally {
    rmSync(file);
  }
});
