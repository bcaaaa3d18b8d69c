import type { Failure } from '../../base/failure.ts';
import type { LastMoment, WaitReason } from './decision.ts';

/** What is waited for while something is due, and since when. Milliseconds since the epoch. */
export interface Hold {
  readonly since: number;
  readonly reason: WaitReason;
  readonly reasonSince: number;
  /** Of the reasons before, what took longest. */
  readonly longest?: { readonly reason: WaitReason; readonly milliseconds: number } | undefined;
}

/** Runs that did not come to a good end, one after the other. */
export interface Trouble {
  readonly count: number;
  readonly at: number;
  readonly retryAt: number;
  readonly isInterrupted: boolean;
  /** Cut off, and to be gone on with though only a person begins runs of the set. */
  readonly resumesItself?: boolean | undefined;
  readonly failure: Failure;
}

/** What is known of a set from one decision to the next, over restarts too. Times in milliseconds since the epoch. */
export interface Memory {
  /** The schedule that it is of, as JSON: another one begins anew. */
  readonly schedule: string;
  /** Moments up to here are served; where a schedule counts from the last run, that. */
  readonly servedThrough: number;
  /** The start of the last run with a good end; 0 for long ago. */
  readonly lastGoodAt?: number | undefined;
  /** The start of the newest run of the journal that this knows of. */
  readonly seenRun?: number | undefined;
  /** Runs of the journal that began within are the one that this knows of already. */
  readonly ownRun?: { readonly from: number; readonly to: number } | undefined;
  readonly trouble?: Trouble | undefined;
  /** What was heard of and is in no backup yet. */
  readonly changes?: { readonly firstAt: number; readonly lastAt: number } | undefined;
  /** Not before that: a person has stopped a run. */
  readonly notBefore?: number | undefined;
  readonly hold?: Hold | undefined;
  readonly lastMoment?: LastMoment | undefined;
}
