import type { BlobKey } from '../../objects/object-store.ts';

/** Chunks that were condemned together. */
export interface Collection {
  readonly mark: number;
  readonly condemnedAt: number;
}

/** How far deletion has come: a change says that chunks were dropped, `pending` that some may be soon. */
export interface CollectionState {
  readonly drops: number;
  readonly pending: boolean;
}

/**
 * Chunks on their way out: condemned, dropped, deleted. docs/decisions/0030-collecting-chunks.md says why nobody who was
 * told of a chunk loses it.
 */
export interface CollectionStore {
  state(): Promise<CollectionState>;
  /** Takes chunks off the list of condemned ones; answers the state after it. */
  spare(chunkIds: readonly number[]): Promise<CollectionState>;
  /** All chunks of an account, in the order of their digests, from the one behind `after`; an empty one to begin with. */
  chunks(
    accountNumber: number,
    after: Buffer,
    limit: number,
  ): Promise<readonly { readonly id: number; readonly digest: Buffer }[]>;
  begin(accountId: string, now: number): Promise<number>;
  /** Those that are condemned already stay so by their earlier mark. */
  condemn(mark: number, chunkIds: readonly number[]): Promise<void>;
  /** Nothing more is condemned by this mark, and its time begins. */
  finish(mark: number, now: number): Promise<void>;
  /** Marks of the account that are as old as `before`, whose sessions have all ended; unfinished ones are given up. */
  due(accountId: string, before: number): Promise<readonly Collection[]>;
  /** Chunks that are condemned by a mark, from the one behind `after`. */
  condemned(mark: number, after: number, limit: number): Promise<readonly number[]>;
  /**
   * Of these, drops the chunks that still are condemned by this mark and that no session has on its list; their blobs are
   * listed as to be deleted. Nothing while the account is held.
   */
  drop(mark: number, chunkIds: readonly number[]): Promise<void>;
  /** A mark under which nothing is condemned any more. */
  forget(mark: number): Promise<void>;
  /** Blobs to be deleted. */
  dropped(limit: number): Promise<readonly BlobKey[]>;
  /** They are deleted. */
  deleted(chunkIds: readonly number[]): Promise<void>;
  /** When an account's chunks were last looked through; 0 where something may have become free since. */
  collectedAt(accountId: string): Promise<number>;
  collected(accountId: string, now: number): Promise<void>;
  /** Bytes of condemned blobs of an account, by the time at which they were condemned. */
  freeing(accountId: string): Promise<readonly { readonly condemnedAt: number; readonly bytes: number }[]>;
}
