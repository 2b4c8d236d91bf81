// Builds the solver as WebAssembly and puts it into `wasm/`. `--profile NAME` takes another profile than release.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = process.argv.indexOf('--profile');
const profile = at < 0 ? 'release' : process.argv[at + 1];
const directory = profile === 'dev' ? 'debug' : profile;
const root = fileURLToPath(new URL('../..', import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;
const cargo = ['build', '--locked', '--profile', profile, '--target', 'wasm32-unknown-unknown', '-p', 'freeboard-wasm'];
execFileSync('cargo', cargo, { cwd: root, stdio: 'inherit' });
mkdirSync(new URL('wasm/', import.meta.url), { recursive: true });
copyFileSync(`${target}/wasm32-unknown-unknown/${directory}/freeboard_wasm.wasm`, new URL('wasm/freeboard.wasm', import.meta.url));
