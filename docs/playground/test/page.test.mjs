// The page docs/playground in a browser without a head, if there is one: README's model has its verdict there.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'node:test';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folders = (process.env.PATH ?? '').split(delimiter);
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => folders.some((folder) => existsSync(join(folder, name))));
const WAIT = 60_000;

/** The page after its button was pressed and an answer is there. */
async function answered(page, folder) {
  const pressed = join(folder, 'pressed.html');
  const press = `<script type="module">
    document.getElementById('check').click();
    await new Promise((done) => new MutationObserver(() => document.getElementById('answer').children.length && done()).observe(document.getElementById('answer'), { childList: true }));
    document.title = 'answered';
  </script></body>`;
  writeFileSync(pressed, readFileSync(page, 'utf8').replace('</body>', () => press));
  // Virtual time would end before the worker does: the browser is asked by its own protocol.
  const process_ = spawn(browser, ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0', `--user-data-dir=${join(folder, 'profile')}`, pathToFileURL(pressed).href], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const port = await new Promise((found, failed) => {
      let told = '';
      process_.stderr.on('data', (data) => {
        told += data;
        const match = /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(told);
        if (match) found(match[1]);
      });
      process_.on('exit', () => failed(new Error(told)));
      setTimeout(() => failed(new Error(`no answer: ${told}`)), WAIT).unref();
    });
    const end = Date.now() + WAIT;
    while (Date.now() < end) {
      const pages = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
      const one = pages.find(({ title, type }) => type === 'page' && title === 'answered');
      if (one) return await bodyOf(one.webSocketDebuggerUrl);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the page has no answer');
  } finally {
    const gone = new Promise((resolve) => process_.on('exit', resolve));
    process_.kill();
    await gone;
  }
}

/** The text of a page, by the protocol; node 20 has no WebSocket client of its own without a flag. */
function bodyOf(url) {
  const code = `
    const socket = new WebSocket(${JSON.stringify(url)});
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'document.body.innerText' } }));
    socket.onmessage = ({ data }) => { console.log(JSON.parse(data).result.result.value); socket.close(); };`;
  return execFileSync(process.execPath, ['--experimental-websocket', '--input-type=module', '--eval', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

test('the playground checks the model of the README', { skip: browser ? false : 'SKIPPED: there is no chromium' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  try {
    const page = join(folder, 'page.html');
    execFileSync(process.execPath, [path('../build.mjs'), page, '--profile', 'dev']);
    const body = await answered(page, folder);
    assert.match(body, /^BOUNDED/m);
    // The rows that the README shows below its command.
    const rows = [...readFileSync(path('../../../README.md'), 'utf8').matchAll(/^ {2}(AB|BA) +(\d+) +(\d+) +(\d+) +bounded/gm)];
    assert.equal(rows.length, 2);
    for (const [, ...cells] of rows) assert.match(body, new RegExp(`^${cells.join('\\s+')}\\s+bounded`, 'm'));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
