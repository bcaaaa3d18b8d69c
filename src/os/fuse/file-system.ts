import type { MaybePromise } from '../../base/maybe-promise.ts';

/** Linux's numbers of the errors that a file system answers with. */
export const ERRNO = {
  ENOENT: 2,
  EINTR: 4,
  EIO: 5,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  EROFS: 30,
  ERANGE: 34,
  ENAMETOOLONG: 36,
  ENOSYS: 38,
  ENODATA: 61,
  ENOTSUP: 95,
} as const;

/** An answer of a file system that is an error. Any other error is answered with EIO. */
export class FuseError extends Error {
  override readonly name = 'FuseError';
  readonly errno: number;

  constructor(code: keyof typeof ERRNO) {
    super(code);
    this.errno = ERRNO[code];
  }
}

/** The number of a file, folder or link for as long as the file system is mounted. 1 is its root. */
export type NodeId = bigint;

export const ROOT_NODE: NodeId = 1n;

export interface FuseAttributes {
  /** What `stat` shows as the inode; equal for the names of one file. */
  readonly inode: bigint;
  readonly type: 'file' | 'directory' | 'symlink';
  /** The low 12 bits of st_mode. */
  readonly mode: number;
  readonly size: number;
  /** True if it takes less space than its size. Programs then look for holes, and find none. */
  readonly isSparse: boolean;
  readonly links: number;
  readonly uid: number;
  readonly gid: number;
  /** Nanoseconds since the epoch. */
  readonly modifiedNs: bigint;
  /** Seconds for which the kernel need not ask again. */
  readonly validSeconds: number;
}

export interface FuseEntry {
  readonly node: NodeId;
  readonly attributes: FuseAttributes;
  /** Seconds for which the name need not be looked up again. */
  readonly validSeconds: number;
}

export interface FuseFolderEntry extends FuseEntry {
  /** 1 to 255 bytes without a slash; others are left out. */
  readonly name: Buffer;
  /** From which `entries` goes on after this one; more than 0. */
  readonly next: bigint;
}

/**
 * An extended attribute. `absent` means that a file does not have it, `unsupported` that the file system does not: programs
 * then do not ask for it again.
 */
export type FuseAttribute = Uint8Array | 'absent' | 'unsupported';

/**
 * A read-only file system. All calls may run side by side, and may throw `FuseError`. What is in memory is returned at once. A node is
 * not forgotten before the end, so that it should be possible to find it again by its number.
 */
export interface FuseFileSystem {
  attributes(node: NodeId, signal: AbortSignal): MaybePromise<FuseAttributes>;
  /**
   * Returns `undefined` if there is no such name.
   *
   * @throws FuseError `ENOTDIR`
   */
  lookup(folder: NodeId, name: Buffer, signal: AbortSignal): MaybePromise<FuseEntry | undefined>;
  /** Returns the node of the folder that contains a folder. */
  parent(folder: NodeId, signal: AbortSignal): MaybePromise<NodeId>;
  /**
   * Passes entries to `add` until that returns false.
   *
   * @param from 0 for the first, else `next` of an entry
   */
  entries(folder: NodeId, from: bigint, add: AddEntry, signal: AbortSignal): Promise<void>;
  /** Returns whether the entries of a folder never change. */
  isFixed(folder: NodeId): boolean;
  readLink(node: NodeId, signal: AbortSignal): MaybePromise<Buffer>;
  /** Returns the bytes in parts; fewer than requested at the end of the file only. */
  read(node: NodeId, offset: number, size: number, signal: AbortSignal): MaybePromise<readonly Uint8Array[]>;
  attribute(node: NodeId, name: Buffer, signal: AbortSignal): MaybePromise<FuseAttribute>;
  attributeNames(node: NodeId, signal: AbortSignal): MaybePromise<readonly Buffer[]>;
  space(): FuseSpace;
}

/** Returns false if there is no room for the entry. */
export type AddEntry = (entry: FuseFolderEntry) => boolean;

/** What `df` shows. */
export interface FuseSpace {
  readonly bytes: number;
  readonly files: number;
}
