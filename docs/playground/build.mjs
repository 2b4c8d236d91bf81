// Writes the page as one file, with the module inside: `node docs/playground/build.mjs OUT.html`, which needs
// cargo and Rust's target wasm32-unknown-unknown. `--profile NAME` takes another profile than release. The model
// in the page is the README's.
import { readFileSync, writeFileSync } from 'node:fs';
import { built } from './wasm.mjs';

const at = process.argv.indexOf('--profile');
const profile = at < 0 ? 'release' : process.argv[at + 1];

const read = (path) => readFileSync(new URL(path, import.meta.url));
const text = (path) => read(path).toString();
const [, model] = /```promela\n([^]*?)```/.exec(text('../../README.md'));
const escaped = model.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const solver = text('module.js');
const wasm = readFileSync(built(profile)).toString('base64');
const worker = `${solver.replaceAll(/^export /gm, '')}
const bytes = () => Uint8Array.from(atob('${wasm}'), (letter) => letter.charCodeAt(0));
onmessage = async ({ data }) => {
  try { postMessage(await checkModel(bytes, data)); }
  catch (error) { postMessage({ error: String(error) }); }
};`;
const script = `const workerUrl = () => URL.createObjectURL(new Blob([${JSON.stringify(worker).replaceAll('</', '<\\/')}], { type: 'text/javascript' }));
${text('page.js')}`;
const page = text('index.html').replace('<!--MODEL-->', () => escaped).replace('/*WORKER*/', () => script);
writeFileSync(process.argv[2], page);
