import type { BackupSession } from './session.ts';

/** What is known of a chunk that is stored durably. */
export interface StoredSizes {
  /** Plaintext bytes. */
  readonly size: number;
  /** Bytes of the blob. */
  readonly blobSize: number;
}

export interface ChunkRow {
  readonly id: number;
  /** Plaintext bytes, once it is stored durably. */
  readonly size: number | undefined;
  /** Bytes of the blob, from then on. */
  readonly blobSize: number | undefined;
}

export interface NeededChunk {
  readonly id: number;
  /** 64 hex digits. */
  readonly digest: string;
  /** Plaintext bytes. */
  readonly size: number;
}

export interface LostChunk extends StoredSizes {
  readonly id: number;
  /** 64 hex digits. */
  readonly digest: string;
}

/** The chunks of each account, and those that sessions have to upload. */
export interface ChunkStore {
  /** Finds the rows of these digests (32 bytes each) in their order, and inserts those that are missing. */
  resolve(accountNumber: number, digests: readonly Buffer[]): Promise<readonly ChunkRow[]>;
  /** Finds rows in the order of their digests, `undefined` for digests that are unknown to the account. */
  find(accountNumber: number, digests: readonly Buffer[]): Promise<readonly (ChunkRow | undefined)[]>;
  /** Appends chunks to those that the session has to upload, each only once. */
  need(session: BackupSession, chunks: readonly { readonly id: number; readonly size: number }[]): Promise<void>;
  /** Returns the chunks that the session has to upload with ordinals greater than `after` (0 to start with). */
  needed(
    session: BackupSession,
    after: number,
    limit: number,
  ): Promise<readonly (NeededChunk & { readonly ordinal: number })[]>;
  /**
   * Finds the session's needed chunks by digest, in the order of `digests`; `undefined` for those that it does not need.
   *
   * @param order whether successive calls ask for digests in about the order in which `needed` returned them
   */
  findNeeded(
    session: Pick<BackupSession, 'number' | 'accountId'>,
    digests: readonly Buffer[],
    order: 'as-needed' | 'any',
  ): Promise<readonly ((NeededChunk & { readonly stored: boolean }) | undefined)[]>;
  /**
   * Announces chunks for a waiting session, so that it has to upload those that are not stored. Returns them in their order;
   * `undefined` if the session no longer waits for its manifest.
   *
   * @throws PersonQuotaError
   */
  needEarly(
    session: Pick<BackupSession, 'number'>,
    chunks: readonly { readonly digest: Buffer; readonly size: number }[],
  ): Promise<readonly (NeededChunk & { readonly stored: boolean })[] | undefined>;
  /** Returns a page of the chunks that a session announced with ordinals greater than `after`; `last` is the page's last. */
  announced(session: number, after: number): Promise<{ readonly ids: readonly number[]; readonly last: number }>;
  /** Records that their blobs are durable. */
  markStored(chunks: readonly (StoredSizes & { readonly id: number })[]): Promise<void>;
  /** Records that their blobs are missing. */
  markLost(ids: readonly number[]): Promise<void>;
  /** Returns those of the chunks whose blobs are missing, with the sizes that they had. */
  lostAmong(ids: readonly number[]): Promise<readonly LostChunk[]>;
  lost(accountNumber: number): Promise<readonly number[]>;
}
