// Proofs that the mailboxes of XState v5 actors cannot overflow.
import { readFile } from 'node:fs/promises';
import { checkModel } from './freeboard.js';
import { Unseen } from './oracle.js';
import { promelaOf } from './system.js';

const module = () => readFile(new URL('../wasm/freeboard.wasm', import.meta.url));

/** The Promela text that `check` asks about, for those who want to see or keep it. */
export function translate(machine, options = {}) {
  const { children = {}, silent = [], environment } = options;
  return promelaOf(machine, { children, silent, environment });
}

/** Checks the mailboxes of a machine and of all actors that it invokes or spawns. */
export async function check(machine, options = {}) {
  let translated;
  try {
    translated = translate(machine, options);
  } catch (error) {
    if (error instanceof Unseen) return { verdict: 'unknown', reason: error.message, mailboxes: {} };
    throw error;
  }
  const { text, actors } = translated;
  const { timeLimit = 30_000, maxStates } = options;
  let answer;
  try {
    answer = await checkModel(module, { name: machine.id, text, timeLimit, maxStates });
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return { verdict: 'unknown', reason: `the check was broken off: ${error.message}`, mailboxes: {} };
  }
  return toldOf(answer, actors, text);
}

/** What the answer about the text says of the machines. */
function toldOf(answer, actors, text) {
  const unknown = (reason) => ({ verdict: 'unknown', reason, mailboxes: {}, text });
  if (answer.error) return unknown(answer.error);
  const [result] = answer['property-results'];
  const open = result.reason ?? 'neither a proof nor a run was found';
  const buffers = new Map(result.buffers.map((buffer) => [buffer.name, buffer]));
  const trap = mailboxOf(buffers.get('unsupported'));
  if (trap.verdict === 'unbounded') {
    return unknown('an actor may be started while its predecessor with the same id is still there');
  }
  // What is proved of a mailbox counts only if that is proved never to happen.
  const isSure = trap.bound === 0;
  const sure = (one) => (isSure || one.verdict === 'unbounded' ? one : { verdict: 'unknown' });
  const mailboxes = Object.fromEntries(actors.map(({ index, path }) => [path, sure(mailboxOf(buffers.get(`m${index}`)))]));
  const verdicts = Object.values(mailboxes).map(({ verdict }) => verdict);
  if (verdicts.every((one) => one === 'bounded')) return { verdict: 'bounded', mailboxes, text };
  if (verdicts.includes('unbounded')) return { verdict: 'unbounded', mailboxes, text };
  return { verdict: 'unknown', reason: open, mailboxes, text };
}

/** The verdict on one mailbox; a bound that is the true maximum of the translation where it is known. */
function mailboxOf({ verdict, bound, exact }) {
  const known = exact ?? bound;
  return verdict === 'bounded' && known !== null ? { verdict, bound: known } : { verdict: verdict === 'bounded' ? 'unknown' : verdict };
}
