/** A machine that XState has made, or the configuration of one. */
export type Machine = { readonly config: object; readonly implementations: object } | object;

export interface Options {
  /** Machines of children that the root of the machine invokes by a name. */
  children?: Record<string, Machine>;
  /**
   * Types of events that outsiders may send at any time: to the root, or to each actor by its name.
   * Not counted.
   */
  environment?: string[] | Record<string, string[]>;
  /** Names of actions that send, raise, start and stop nothing. */
  silent?: string[];
  /**
   * Your word that the functions of the machines send, start and stop nothing, and do not throw.
   */
  pure?: boolean;
  /** The most combinations of states of one machine that are looked at; 2000 unless given. */
  limit?: number;
  /** Milliseconds that a check may take; 60000 unless given. */
  timeLimit?: number;
  /** States that are looked at in searches of runs. */
  maxStates?: number;
  /** The bytes of the solver; unless given, those of the package. */
  wasm?: BufferSource;
}

export interface Mailbox {
  verdict: 'bounded' | 'unbounded' | 'unknown';
  /** The most messages that the mailbox ever holds, as far as it is proved. */
  bound: number | null;
}

export interface Step {
  actor: string;
  what: string;
  takes?: { mailbox: string; event: string };
  sends?: { mailbox: string; event: string };
  /** Lengths of mailboxes that the step changes. */
  lengths: Record<string, number>;
}

export interface Result {
  verdict: 'bounded' | 'unbounded' | 'unknown';
  /**
   * By the name of the actor: the id of the root machine, ids of its children, `child.grandchild`.
   */
  mailboxes: Record<string, Mailbox>;
  /** Why the verdict is not 'bounded'. */
  why: string | null;
  /** A run of the system: `loop` can be repeated for ever, and a mailbox grows each time. */
  run: { prefix: Step[]; loop: Step[] } | null;
  /**
   * What the system allows more of than the machines do; if there is any, nothing is called
   * unbounded.
   */
  approximations: string[];
  /** What the verdict rests on. */
  assumptions: string[];
}

/** What is not supported, with its place in the machine and what to do about it. */
export class Refusal extends Error {
  where: string;
  what: string;
  hint: string | undefined;
}

/** Asks whether each mailbox of a machine and its children is bounded. Rejects with a `Refusal`. */
export function check(machine: Machine, options?: Options): Promise<Result>;

/**
 * The machines as a system, `freeboard.system/1`, which the command `freeboard check` takes as
 * well. Throws a `Refusal`.
 */
export function extract(machine: Machine, options?: Options): { system: object; approximations: string[] };
