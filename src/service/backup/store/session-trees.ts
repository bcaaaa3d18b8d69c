import type { SqlTransaction } from '../../database/sql-database.ts';
import type { AbandonedChunk } from './session.ts';
import type { FileVersion, StoredVersion } from './tree-store.ts';

/** An open session whose base is not the newest tree any more. */
export interface RebasedSession {
  readonly number: number;
  readonly setNumber: number;
  /** The sequence of the tree that its changes are relative to. */
  readonly base: number;
  /** The sequence of the newest tree. */
  readonly head: number;
}

/** A session whose rows are to be swept. */
export interface EndedSession {
  readonly number: number;
  readonly state: 'completed' | 'failed' | 'continued';
  readonly set_number: number;
}

/** A path that another run has changed since the session's base. */
export interface RebasedPath {
  readonly key: string;
  /** The session's own version. */
  readonly own: StoredVersion | undefined;
  /** True if the session ends the base version. */
  readonly ended: boolean;
  readonly inBase: StoredVersion | undefined;
  readonly inHead: StoredVersion | undefined;
}

/** Replaces what a session does to some paths. */
export interface RebaseChanges {
  /** All paths concerned: none of their versions ends with the session any more, except for `ends`. */
  readonly keys: readonly string[];
  /** Paths whose own version is deleted. */
  readonly dropped: readonly string[];
  readonly ends: readonly StoredVersion[];
  readonly versions: readonly FileVersion[];
}

/**
 * Queries of sessions that touch as many rows as a manifest has files or chunks, written for each database by itself. Those
 * with a transaction run inside of it.
 */
export interface SessionTrees {
  /** Returns hashes of the session's chunks that are not stored with the manifest's size, in manifest order. */
  missingChunks(number: number, limit: number): Promise<readonly string[]>;
  /**
   * Deletes a bounded number of rows that ended sessions leave behind. Returns the chunks whose blobs, if they were uploaded,
   * are no longer needed; `undefined` if nothing was left to delete.
   */
  sweep(): Promise<readonly AbandonedChunk[] | undefined>;
  /** Ends the versions that the session's manifest no longer contains. */
  endVersions(transaction: SqlTransaction, session: Pick<RebasedSession, 'number' | 'setNumber'>): Promise<void>;
  /** Returns the paths with a version that began or ended after `base`. */
  changedPaths(transaction: SqlTransaction, session: RebasedSession): Promise<readonly string[]>;
  readPaths(
    transaction: SqlTransaction,
    session: RebasedSession,
    keys: readonly string[],
  ): Promise<readonly RebasedPath[]>;
  applyRebase(transaction: SqlTransaction, session: RebasedSession, changes: RebaseChanges): Promise<void>;
}
