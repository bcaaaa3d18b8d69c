import type { ChangeCounts } from '../record/recorded-changes.ts';

/** An entry that the undo leaves as it is. */
export interface NotUndone {
  readonly path: string;
  /**
   * `changed` since the restore; its version before is `gone`; an `older` version that was kept; `attributes` with rights that are not
   * given back; attributes that could not be `unset`; `invalid` in the record; or the operating system's error code.
   */
  readonly reason: string;
}

/** The newest restore to the original places that can be undone. */
export interface UndoableRestore extends ChangeCounts {
  readonly backupSet: string;
  readonly deviceId: string;
  readonly restorePoint: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly target: string;
  /** True if an undo has begun and has not ended. */
  readonly isBegun: boolean;
}

export interface UndoReport extends Omit<UndoableRestore, 'isBegun' | 'replaced' | 'moved' | 'created'> {
  /** Files and folders that are in their places again; in a dry run: that would be. */
  readonly putBack: number;
  /** Files and links of the restore that were moved to the side folders. */
  readonly movedAside: number;
  /** Real paths of the side folders. */
  readonly movedTo: readonly string[];
  /** The first of `notUndoneTotal` entries. */
  readonly notUndone: readonly NotUndone[];
  readonly notUndoneTotal: number;
}
