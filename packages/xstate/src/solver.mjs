// The solver: the module that `npm run build` puts beside, or bytes that the caller has.
import { checkModel } from './module.js';

const BESIDE = new URL('../dist/freeboard.wasm', import.meta.url);

async function beside() {
  if (BESIDE.protocol === 'file:') return (await import('node:fs/promises')).readFile(BESIDE);
  const response = await fetch(BESIDE);
  if (!response.ok) throw new Error(`the solver is not at ${BESIDE.href}`);
  return response.arrayBuffer();
}

/** What `freeboard check --format json` says of a system. */
export async function solve(system, { wasm, timeLimit, maxStates }) {
  const bytes = wasm === undefined ? beside : async () => wasm;
  const answer = await checkModel(bytes, { text: JSON.stringify(system), input: 'json', name: system.name, timeLimit, maxStates });
  if (answer.error !== undefined) throw new Error(`the solver does not take the system: ${answer.error}`);
  return answer;
}
