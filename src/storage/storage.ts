import type { KeptVersions } from './kept-versions.ts';
import type { LeftOvers } from './left-overs.ts';
import type { StorageLocks } from './storage-locks.ts';
import type { OnUnreadable } from './unreadable.ts';

/** One file in the store. */
export interface StoredFile {
  /** Relative to the repository, with `/` between segments. */
  readonly name: string;
  readonly bytes: number;
  /** When it was created, by the store's own clock; milliseconds since the epoch. `undefined` if the store does not say. */
  readonly created: number | undefined;
}

export interface ByteRange {
  readonly offset: number;
  /** A file that ends earlier yields fewer bytes. */
  readonly length: number;
}

/** Bytes of the disk, or of the quota, that a store is on. */
export interface Space {
  readonly total: number;
  /** For this user. */
  readonly free: number;
}

/** Something that has the name of a folder. */
export interface Obstacle {
  readonly name: string;
  /** True for a link that leads nowhere, maybe because the disk of its folder is away. */
  readonly isLink: boolean;
}

/** What became of a name that was to be moved. */
export type Move = 'moved' | 'exists' | 'missing' | 'unsupported';

/**
 * A store of immutable files, such as a folder or a bucket: the only thing that a repository needs of a destination.
 *
 * Names have segments of `[0-9a-z.-]` that do not begin with a dot, and at most 200 characters. Every method may throw HoldfastError
 * `destination_missing`, `destination_unwritable`, `destination_full`, `permission_denied`, `clock_wrong`, `service_unreachable`
 * (retryable) or `service_broken`; a store repeats what a network lost before it throws. `signal` ends a call with the signal's reason.
 */
export interface Storage extends AsyncDisposable {
  /** The destination as people know it: a folder or an address. */
  readonly address: string;
  /** True if a listing costs neither money nor much time, as in a folder. */
  readonly listsAtNoCost?: boolean;
  /** False once a file was put that the store could not sync: a power cut may take it. `undefined` where the kind of store tells that. */
  readonly syncs?: boolean | undefined;
  /** Number of calls that should be under way at once. */
  readonly concurrency: number;
  /** For a store that can lock files. Whether it does is asked there. */
  readonly locks?: StorageLocks;
  /** For a store that may keep what is deleted. Whether it does is asked there. */
  readonly kept?: KeptVersions;
  /** The unfinished files that listings came across, for a store that has any. */
  readonly leftOvers?: LeftOvers;
  /**
   * Yields all files whose names begin with `prefix`, in batches and in any order. A prefix ends with `/` or is empty. Unfinished
   * and foreign files are not listed. Files that are created or deleted meanwhile may be listed or not.
   *
   * @param onUnreadable is told of folders and files that cannot be listed. Without it, the first of them ends the listing: whoever lists says
   *   what becomes of them
   */
  list(
    prefix: string,
    signal: AbortSignal | undefined,
    onUnreadable: OnUnreadable | undefined,
  ): AsyncIterable<readonly StoredFile[]>;
  /** Like `list`, but yields names alone, also of what is no file. For a store that shows them sooner than sizes and times. */
  listNames?(prefix: string, signal?: AbortSignal, onUnreadable?: OnUnreadable): AsyncIterable<readonly string[]>;
  /** Names in the root of a store of folders, also foreign ones; none if it does not exist. Before a repository is created there. */
  rootNames?(signal?: AbortSignal): Promise<readonly string[]>;
  /** Returns those of some folders of the root whose name something else has. */
  obstacles?(folders: readonly string[], signal?: AbortSignal): Promise<readonly Obstacle[]>;
  /** Returns the space of the store; `undefined` if it does not say. */
  space?(signal?: AbortSignal): Promise<Space | undefined>;
  /** Deletes unfinished files that listings came across. Those that are gone are no error. */
  deleteLeftOvers?(paths: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Reads a file or a part of it.
   *
   * @returns `undefined` if it does not exist; fewer bytes than the range if the file ends earlier
   */
  get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /**
   * Creates a file: it exists completely or not at all, and survives a power cut, when this resolves.
   *
   * A repeated attempt takes a file of the same bytes for its own. Over WebDAV, two computers that create a name at the same moment may
   * both be told that they did, and one file replaces the other (`README.md`).
   *
   * @param parts are concatenated
   * @returns `exists` if the name is taken; that file is unchanged
   */
  put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'>;
  /**
   * Returns the size of a file; `undefined` if it does not exist. Only of a store for which something else may answer `put`, such as a proxy: each file that a restore
   * point counts on is asked for once more. Disks and servers that `put` itself asks have no need of it.
   */
  size?(name: string, signal?: AbortSignal): Promise<number | undefined>;
  /**
   * Moves what has a name to another one that is not taken, whatever it is and without reading it. Without this call, or if a server
   * turns out not to have it (`unsupported`), files are copied instead.
   *
   * @throws HoldfastError `permission_denied` if the store forbids it
   */
  move?(name: string, to: string, signal?: AbortSignal): Promise<Move>;
  /**
   * Deletes a file. A missing one is no error.
   *
   * @throws HoldfastError `permission_denied` if the store forbids deletion, with `lockedUntil` if only until then
   */
  delete(name: string, signal?: AbortSignal): Promise<void>;
}
