import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { RansomwareReason, RunChanges } from '../security/ransomware.ts';

/** A run that looked like ransomware. It stays open, and nothing of its set is pruned, until a person dismisses it. */
export interface Alarm {
  readonly id: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly setNumber: number;
  readonly setName: string;
  readonly reasons: readonly RansomwareReason[];
  readonly raisedAt: number;
  readonly dismissedAt: number | undefined;
  /** Who: a user's id, or `operator`. */
  readonly dismissedBy: string | undefined;
}

export type NewAlarm = Omit<Alarm, 'id' | 'dismissedAt' | 'dismissedBy'>;

/** Times are milliseconds since the epoch. */
export interface AlarmStore {
  /** Keeps what a run changes until it is judged. */
  noteChanges(sessionId: string, changes: RunChanges, now: number): Promise<void>;
  changesOf(sessionId: string): Promise<RunChanges | undefined>;
  /** Forgets the changes of runs that began before `before`. */
  pruneChanges(before: number): Promise<void>;
  /** False where the run has raised one already; else the event is recorded with it. */
  raise(alarm: NewAlarm, event: EmittedEvent): Promise<boolean>;
  /** Those that nobody has dismissed, newest first. */
  open(accountId: string): Promise<readonly Alarm[]>;
  /** Whether nothing of this set may be pruned. */
  holds(setNumber: number): Promise<boolean>;
  /** False where the account has no such open alarm. */
  dismiss(accountId: string, id: string, by: string, now: number): Promise<boolean>;
}
