// Puts the solver as WebAssembly into the package: `node build.mjs`, which needs cargo and Rust's
// target wasm32-unknown-unknown. `--profile NAME` takes another profile than release.
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { built } from '../../docs/playground/wasm.mjs';

const at = process.argv.indexOf('--profile');
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
mkdirSync(path('dist'), { recursive: true });
copyFileSync(built(at < 0 ? 'release' : process.argv[at + 1]), path('dist/freeboard.wasm'));
