// Whether the mailboxes of XState's actors can overflow: `check` proves that they cannot, or says
// why it is not known.
import { actorsOf, systemOf } from './system.mjs';
import { refuse } from './refusal.mjs';
import { solve } from './solver.mjs';

export { Refusal } from './refusal.mjs';

const DEFAULTS = { children: {}, environment: [], silent: [], pure: false, limit: 2000, timeLimit: 60_000, maxStates: undefined, wasm: undefined };

function optionsOf(given) {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(DEFAULTS, key));
  if (unknown !== undefined) refuse(`options.${unknown}`, 'there is no such option', `there are ${Object.keys(DEFAULTS).join(', ')}`);
  return { ...DEFAULTS, ...given };
}

/** The system of machines that `freeboard check` takes as well: `freeboard.system/1`. */
export function extract(machine, given = {}) {
  const options = optionsOf(given);
  const { system, uses } = systemOf(actorsOf(machine, options), options);
  return { system, approximations: [...uses].sort() };
}

/** Asks whether each mailbox of a machine and its children is bounded. */
export async function check(machine, given = {}) {
  const { system, approximations } = extract(machine, given);
  const { 'property-results': [result] } = await solve(system, optionsOf(given));
  return told(result, approximations, optionsOf(given));
}

function told(result, approximations, options) {
  const mailboxes = Object.fromEntries(result.buffers.map((buffer) => [buffer.name, mailbox(buffer, approximations)]));
  const all = Object.values(mailboxes).map(({ verdict }) => verdict);
  const verdict = all.includes('unbounded') ? 'unbounded' : all.every((one) => one === 'bounded') ? 'bounded' : 'unknown';
  const run = result.witness ? { prefix: steps(result.witness.prefix), loop: steps(result.witness.loop) } : null;
  return { verdict, mailboxes, why: verdict === 'bounded' ? null : whyOf(result, approximations, verdict), run, approximations, assumptions: assumptionsOf(options) };
}

/** A run shows that a mailbox grows only if each run of the system is one of the machines. */
function mailbox({ verdict, bound }, approximations) {
  if (verdict === 'bounded' && Number.isSafeInteger(bound)) return { verdict, bound };
  return { verdict: verdict === 'unbounded' && approximations.length === 0 ? 'unbounded' : 'unknown', bound: null };
}

function whyOf({ verdict, reason, witness }, approximations, said) {
  if (said === 'unbounded') return 'in the loop of the run a mailbox grows each time';
  if (verdict !== 'refuted') return reason ?? 'neither a proof nor a run was found';
  const over = approximations.join(', ');
  return `${witness ? 'there is a run in which a mailbox grows' : 'a mailbox may grow'}, but it may be none of the machines: of these more is allowed than they do: ${over}`;
}

/** Steps of a run; one that takes a message and sends one is two. */
function steps(list) {
  return list.flatMap(({ then, ...step }) => [stepOf(step), ...(then ?? []).map(stepOf)]);
}

function stepOf({ process, text, sent, received, buffers }) {
  const message = (moved) => ({ mailbox: moved.channel, event: moved.fields.join(' ') });
  const lengths = Object.fromEntries((buffers ?? []).map(({ name, length }) => [name, length]));
  return { actor: process, what: text, ...(received && { takes: message(received) }), ...(sent && { sends: message(sent) }), lengths };
}

function assumptionsOf({ pure, silent, environment }) {
  const found = ['actors start as their machines say, and take messages one at a time, in the order in which they came', 'nothing throws'];
  if (pure) found.push('functions send, start and stop nothing, and make no events that stop actors or tell of errors (`pure`)');
  if (silent.length) found.push(`these actions send, start and stop nothing: ${silent.join(', ')} (\`silent\`)`);
  const outsiders = Array.isArray(environment) ? environment : Object.values(environment).flat();
  found.push(outsiders.length ? `outsiders send nothing but ${outsiders.join(', ')}, which are not counted (\`environment\`)` : 'nobody else sends to the actors');
  return found;
}
