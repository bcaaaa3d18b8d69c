import { sameChunks } from './packed-chunks.ts';
import type { BackupSession } from './session.ts';

/** One state of one path; `pathKey` is `pathSortKey(path)`. */
export interface FileVersion {
  readonly pathKey: string;
  readonly size: number;
  /** Milliseconds, or ISO 8601 UTC text if milliseconds would lose precision. */
  readonly modified: number | string;
  /** In the format of packed-chunks.ts. */
  readonly chunks: Buffer;
}

export interface StoredVersion extends FileVersion {
  /** The session that brought it; together with the path it identifies the version. */
  readonly validFrom: number;
}

/** Bytes of a row in `file_version` besides its path and chunks, roughly. */
const ROW_BYTES = 64;

/** Bytes that a version occupies in the metadata. */
export function treeBytesOf({ pathKey, chunks }: Pick<FileVersion, 'pathKey' | 'chunks'>): number {
  return Buffer.byteLength(pathKey) + chunks.length + ROW_BYTES;
}

export function sameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.size === b.size && a.modified === b.modified && sameChunks(a.chunks, b.chunks);
}

export interface TreeRange {
  readonly setNumber: number;
  /** The id of the run whose tree is read; 0 for the empty one. */
  readonly sequence: number;
  /** Keys greater than this one. */
  readonly after: string;
  /** Keys up to and including this one; no bound by default. */
  readonly upTo?: string;
  readonly limit: number;
}

/** The changes of a session to a path so far. */
export interface StagedState {
  /** The version in the tree that the session is relative to. */
  readonly base: StoredVersion | undefined;
  /** True if the session has its own version. */
  readonly staged: boolean;
  /** True if the base version ends with the session. */
  readonly ended: boolean;
}

export interface TreeChanges {
  readonly versions: readonly FileVersion[];
  /** Base versions that end with the session. */
  readonly ends: readonly { readonly pathKey: string; readonly validFrom: number }[];
  /** Paths whose base version no longer ends with the session. */
  readonly continued: readonly string[];
}

/** The session's set was erased while its manifest arrived. */
export class ErasedSessionError extends Error {
  override readonly name = 'ErasedSessionError';
}

/** The trees of files of each set: one for each run, stored as versions with the runs between which they are valid. */
export interface TreeStore {
  /** Returns versions of one tree in the order of their keys. */
  range(range: TreeRange): Promise<readonly StoredVersion[]>;
  find(setNumber: number, sequence: number, pathKey: string): Promise<StoredVersion | undefined>;
  /** Returns the states in the order of `pathKeys`. */
  staged(session: BackupSession, pathKeys: readonly string[]): Promise<readonly StagedState[]>;
  /** @throws ErasedSessionError */
  stage(session: BackupSession, changes: TreeChanges): Promise<void>;
}
