/** Something that stays as it is. */
export interface NotUndone {
  readonly path: string;
  /**
   * `changed` since the restore; its version before is `gone`; an `older` version that was kept; `attributes` with rights that are not
   * given back; attributes that could not be `unset`; `invalid` in the record; or the operating system's error code.
   */
  readonly reason: string;
}

/** The newest restore to the original places that can be undone. */
export interface UndoableRestore {
  readonly backupSet: string;
  readonly deviceId: string;
  readonly restorePoint: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly target: string;
  /** Files and folders whose version before is kept. */
  readonly replaced: number;
  /** Files and folders that did not exist in the restore point and were moved aside. */
  readonly moved: number;
  /** Files and links that the restore made where nothing was. */
  readonly created: number;
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
  /** The first of them. */
  readonly notUndone: readonly NotUndone[];
  readonly notUndoneTotal: number;
}
