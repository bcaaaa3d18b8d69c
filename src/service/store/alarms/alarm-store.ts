import type { EmittedEvent } from '../../../protocol/webhooks.ts';
import type { RansomwareReason, RunChanges } from '../../security/ransomware.ts';

/** A run that looked like ransomware. */
export interface Alarm {
  readonly id: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly setNumber: number;
  readonly setName: string;
  readonly reasons: readonly RansomwareReason[];
  readonly raisedAt: number;
}

/** What runs change until they are judged, and what was found. Times are milliseconds since the epoch. */
export interface AlarmStore {
  /** Keeps what a run changes until it is judged. */
  noteChanges(sessionId: string, changes: RunChanges, now: number): Promise<void>;
  changesOf(sessionId: string): Promise<RunChanges | undefined>;
  /** Forgets the changes of runs whose manifest came before `before`. */
  pruneChanges(before: number): Promise<void>;
  isRaised(sessionId: string): Promise<boolean>;
  /** Records the event with the alarm; does nothing where the run has raised one already. */
  raise(alarm: Omit<Alarm, 'id'>, event: EmittedEvent): Promise<void>;
  /** Newest first. */
  list(accountId: string, limit: number): Promise<readonly Alarm[]>;
}
