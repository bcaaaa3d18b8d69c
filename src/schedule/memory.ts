import type { Failure } from '../base/errors/failure.ts';
import type { LastMoment, WaitReason } from '../model/schedule/decision.ts';

/** The wait of a due run. Milliseconds since the epoch. */
export interface Hold {
  readonly since: number;
  readonly reason: WaitReason;
  readonly reasonSince: number;
  /** The longest of the previous reasons. */
  readonly longest?: { readonly reason: WaitReason; readonly milliseconds: number } | undefined;
}

/** Consecutive unsuccessful runs. */
export interface Trouble {
  readonly count: number;
  readonly at: number;
  readonly retryAt: number;
  readonly isInterrupted: boolean;
  /** Interrupted, and resumed even if only a person starts runs of the set. */
  readonly resumesItself?: boolean | undefined;
  readonly failure: Failure;
}

/** A run that was ended here in favour of backups to other destinations. It is due again immediately. */
export interface Preemption {
  readonly at: number;
  /** Consecutive ones that had sent nothing. */
  readonly fruitless: number;
}

/**
 * The state of a schedule between decisions, across restarts too: of a set's backups to one destination, or of its
 * verifications. Times in milliseconds since the epoch.
 */
export interface Memory {
  /** The schedule, as JSON. A different one starts anew. */
  readonly schedule: string;
  /** Moments up to this time are served. For a schedule that counts from the last run, the time of that run. */
  readonly servedThrough: number;
  /** The start of the last successful run. 0 for long ago. */
  readonly lastGoodAt?: number | undefined;
  /** The start of the newest journalled run that is taken into account. */
  readonly seenRun?: number | undefined;
  /** A journalled run that began in this range is taken into account already. */
  readonly ownRun?: { readonly from: number; readonly to: number } | undefined;
  readonly trouble?: Trouble | undefined;
  readonly preempted?: Preemption | undefined;
  /** Changes that are in no backup yet. */
  readonly changes?: { readonly firstAt: number; readonly lastAt: number } | undefined;
  /** The earliest next run after a person stopped one. */
  readonly notBefore?: number | undefined;
  readonly hold?: Hold | undefined;
  readonly lastMoment?: LastMoment | undefined;
}
