import type { Failure } from '../base/errors/failure.ts';

/** The reason for which a run began. */
export type Trigger = 'person' | 'schedule' | 'missed' | 'change' | 'resume';

export type Outcome = 'succeeded' | 'warnings' | 'failed' | 'cancelled' | 'interrupted';

/** An ended run of a set, regardless of who started it. Milliseconds since the epoch. */
export interface EndedRun {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly failure?: Failure | undefined;
  /** The app started it, so after an interruption it resumes by itself, whether anything is scheduled or not. */
  readonly resumesItself?: boolean | undefined;
  /** A person started it, in the window or at a terminal. */
  readonly isByPerson?: boolean | undefined;
}

/** The reason for which a due run does not begin. */
export type WaitReason =
  | { readonly kind: 'battery'; readonly percent?: number | undefined; readonly atLeast?: number | undefined }
  | { readonly kind: 'metered' }
  | { readonly kind: 'network'; readonly name?: string | undefined }
  | { readonly kind: 'paused'; readonly until?: number | undefined }
  | { readonly kind: 'other-run'; readonly set: string }
  | { readonly kind: 'busy'; readonly holder?: string | undefined }
  | { readonly kind: 'destination'; readonly location: string }
  | { readonly kind: 'retry'; readonly at: number; readonly failure: Failure };

/** The state of a set's schedule. Times in milliseconds since the epoch. */
export type Decision =
  | { readonly kind: 'manual' }
  | { readonly kind: 'next'; readonly at: number }
  /** On change: nothing has changed since the last run. `isPartial`: some changes may go unnoticed. */
  | { readonly kind: 'watching'; readonly isPartial: boolean }
  | { readonly kind: 'quiet'; readonly until: number }
  | { readonly kind: 'waiting'; readonly since: number; readonly reason: WaitReason }
  | { readonly kind: 'running'; readonly since: number; readonly trigger: Trigger };

/** The reason for which a moment was late by more than a minute. */
export type LateBy = 'asleep' | 'off' | 'waited' | 'busy';

/** The last moment that was due, and its run. */
export interface LastMoment {
  readonly dueAt: number;
  readonly ranAt: number;
  readonly lateBy?: LateBy | undefined;
  readonly waitedFor?: WaitReason | undefined;
}
