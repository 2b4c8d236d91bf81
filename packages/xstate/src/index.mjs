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
  const options = optionsOf(given);
  const { system, approximations } = extract(machine, given);
  const result = await resultOf(system, options);
  const mayGrow = approximations.length === 0 && result.buffers.some(({ verdict }) => verdict === 'unbounded');
  const shown = mayGrow ? await resultOf(systemOf(actorsOf(machine, options), options, true).system, options) : undefined;
  return told(result, shown, approximations, options);
}

async function resultOf(system, options) {
  const { 'property-results': [result] } = await solve(system, options);
  return result;
}

/**
 * The answer. Bounds are those of the system; a mailbox is called unbounded only where each run of
 * the system is one of the machines, and if it grows even if nobody acts between the messages that
 * are sent together, which is what `shown` says.
 */
function told(result, shown, approximations, options) {
  const grows = new Set((shown?.buffers ?? []).flatMap(({ name, verdict }) => (verdict === 'unbounded' ? [name] : [])));
  const mailboxes = Object.fromEntries(result.buffers.map((buffer) => [buffer.name, mailbox(buffer, grows)]));
  const all = Object.values(mailboxes).map(({ verdict }) => verdict);
  const verdict = all.includes('unbounded') ? 'unbounded' : all.every((one) => one === 'bounded') ? 'bounded' : 'unknown';
  const { witness } = grows.size ? shown : result;
  const run = witness ? { prefix: steps(witness.prefix), loop: steps(witness.loop) } : null;
  return { verdict, mailboxes, why: verdict === 'bounded' ? null : whyOf(result, approximations, verdict), run, approximations, assumptions: assumptionsOf(options) };
}

function mailbox({ name, verdict, bound }, grows) {
  if (verdict === 'bounded' && Number.isSafeInteger(bound)) return { verdict, bound };
  return { verdict: grows.has(name) ? 'unbounded' : 'unknown', bound: null };
}

function whyOf({ verdict, reason, witness }, approximations, said) {
  if (said === 'unbounded') return 'in the loop of the run a mailbox grows each time';
  if (verdict !== 'refuted') return reason ?? 'neither a proof nor a run was found';
  const over = approximations.length ? approximations.join(', ') : 'messages that are sent together may come with steps of others between';
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
  if (silent.length) found.push(`these actions send, raise, start and stop nothing: ${silent.join(', ')} (\`silent\`)`);
  const outsiders = Array.isArray(environment) ? environment : Object.values(environment).flat();
  found.push(outsiders.length ? `outsiders send nothing but ${outsiders.join(', ')}, which are not counted (\`environment\`)` : 'nobody else sends to the actors');
  return found;
}
