// Builds the solver as a WebAssembly module: the path of its file.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function built(profile) {
  const quick = profile === 'dev' ? ['--config', 'profile.dev.debug=false', '--config', 'profile.dev.strip=true'] : [];
  const cargo = ['build', '--locked', ...quick, '--profile', profile, '--target', 'wasm32-unknown-unknown', '-p', 'freeboard-wasm'];
  execFileSync('cargo', cargo, { cwd: root, stdio: 'inherit' });
  const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;
  return `${target}/wasm32-unknown-unknown/${profile === 'dev' ? 'debug' : profile}/freeboard_wasm.wasm`;
}
