import type { AnyStateMachine } from 'xstate';

export interface Options {
  /** Machines by the names that `invoke` and `spawnChild` call them. */
  children?: Record<string, AnyStateMachine>;
  /**
   * Events that come from outside, by ids or paths of actors, when no actor is at work. Left out: the root
   * machine may get any event. `{}`: none comes.
   */
  environment?: Record<string, string[]>;
  /** Names of actions and promises that are functions and send nothing; `true`: all. */
  silent?: string[] | true;
  /** Milliseconds that the check may take. */
  timeLimit?: number;
  /** States that may be looked at. */
  maxStates?: number;
}

export interface Mailbox {
  verdict: 'bounded' | 'unbounded' | 'unknown';
  /** The most events that ever wait, if it is bounded. */
  bound?: number;
}

export interface Result {
  /** `unbounded` is about the translation, in which guards are taken both ways. */
  verdict: 'bounded' | 'unbounded' | 'unknown';
  /** Why it is unknown. */
  reason?: string;
  /** By the paths of actors, as `parent.child`. */
  mailboxes: Record<string, Mailbox>;
  /** The translation in Promela, if there is one. */
  text?: string;
}

/** Checks the mailboxes of a machine and of all actors that it invokes or spawns. */
export function check(machine: AnyStateMachine, options?: Options): Promise<Result>;

/** The Promela text that `check` asks about. */
export function translate(
  machine: AnyStateMachine,
  options?: Options,
): { text: string; actors: { index: number; path: string }[] };
