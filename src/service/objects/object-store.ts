/** What a blob is called. The number keeps small blobs in the order of their arrival; the digest is the name. */
export interface BlobKey {
  readonly accountId: string;
  readonly chunkId: number;
  /** 64 hex digits: SHA-256 of the plaintext chunk. */
  readonly digest: string;
  /** Bytes of the blob. */
  readonly size: number;
}

export interface KeyedBlob {
  readonly key: BlobKey;
  /** Exactly `key.size` bytes. */
  readonly bytes: Uint8Array;
}

/** A blob that has arrived and does not count until it is kept. */
export interface ReceivedBlob {
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Where blobs are. It knows nothing of sessions: that a blob is never replaced by another one is up to the caller, who
 * knows which of them count (blob-intake.ts). Whatever was put but never counted may be put again.
 */
export interface ObjectStore {
  /** Can be read when it resolves; on disk after the next `flush`. */
  put(blobs: readonly KeyedBlob[]): Promise<void>;
  /** Takes a blob as it arrives. Throws `BlobLengthError` as soon as it is longer, or ends shorter, than `key.size`. */
  receive(key: BlobKey, body: AsyncIterable<Uint8Array>): Promise<ReceivedBlob>;
  /** Everything that was put or kept before this call is on disk when it resolves, power cut or not. */
  flush(): Promise<void>;
  /**
   * In the order of `keys`; nothing where there is no blob of that size.
   *
   * @param room a store that can reads those blobs into it that find room there
   */
  get(keys: readonly BlobKey[], room?: Uint8Array<SharedArrayBuffer>): Promise<(Uint8Array | undefined)[]>;
  /** Does nothing where there is none. `size` is not looked at. */
  delete(keys: readonly BlobKey[]): Promise<void>;
  close(): Promise<void>;
  /** Present where clients bring and fetch blobs by themselves, so that none passes the service. */
  readonly direct?: DirectBlobs;
}

/** Blobs in a storage that clients reach at addresses of its own. Times are milliseconds since the epoch. */
export interface DirectBlobs {
  /** An address for one PUT of `key.size` bytes, with the headers that it has to carry. It never replaces a blob. */
  presignPut(key: BlobKey, now: number, seconds: number): Promise<PresignedPut>;
  /** An address for GET. */
  presignGet(key: BlobKey, now: number, seconds: number): Promise<string>;
  /** In the order of `keys`, whether the blob is there with its size; cheap where their numbers lie close together. */
  present(keys: readonly BlobKey[]): Promise<readonly boolean[]>;
}

export interface PresignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body has another length than its address was signed for. */
export class BlobLengthError extends Error {
  override readonly name = 'BlobLengthError';
}
