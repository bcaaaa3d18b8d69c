import type { Failure } from '../../base/failure.ts';

/** Why a run began. */
export type Trigger = 'person' | 'schedule' | 'missed' | 'change' | 'resume';

/** How a run ended. */
export type Outcome = 'succeeded' | 'warnings' | 'failed' | 'cancelled' | 'interrupted';

/** A run of a set that ended, whoever started it. Milliseconds since the epoch. */
export interface EndedRun {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly failure?: Failure | undefined;
  /** Whoever asked for it left it to the app: cut off, it goes on by itself, whether anything is scheduled or not. */
  readonly resumesItself?: boolean | undefined;
}

/** Why something that is due does not happen. */
export type WaitReason =
  | { readonly kind: 'battery'; readonly percent?: number | undefined; readonly atLeast?: number | undefined }
  | { readonly kind: 'metered' }
  | { readonly kind: 'network'; readonly name?: string | undefined }
  | { readonly kind: 'paused'; readonly until?: number | undefined }
  | { readonly kind: 'other-run'; readonly set: string }
  | { readonly kind: 'busy'; readonly holder?: string | undefined }
  | { readonly kind: 'destination'; readonly place: string }
  | { readonly kind: 'retry'; readonly at: number; readonly failure: Failure };

/** What the schedule says of a set just now. Times in milliseconds since the epoch. */
export type Decision =
  | { readonly kind: 'manual' }
  | { readonly kind: 'next'; readonly at: number }
  /** On change: nothing has changed since the last run. `isPartial`: some changes may go unheard. */
  | { readonly kind: 'watching'; readonly isPartial: boolean }
  | { readonly kind: 'quiet'; readonly until: number }
  | { readonly kind: 'waiting'; readonly since: number; readonly reason: WaitReason }
  | { readonly kind: 'running'; readonly since: number; readonly trigger: Trigger };

/** What made a moment late by more than a minute. */
export type LateBy = 'asleep' | 'off' | 'waited' | 'busy';

/** How the last moment that was due went. */
export interface LastMoment {
  readonly dueAt: number;
  readonly ranAt: number;
  readonly lateBy?: LateBy | undefined;
  readonly waitedFor?: WaitReason | undefined;
}
