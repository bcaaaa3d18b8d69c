/** Identifies a blob. Chunk ids keep small blobs in the order of their arrival; the digest names the content. */
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

/** A blob that has arrived, and is stored only once it is kept. */
export interface ReceivedBlob {
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Stores blobs, independent of sessions. The caller makes sure that a blob which counts as stored is never replaced
 * (backup/blob-intake.ts); a blob that never counted may be put again.
 */
export interface ObjectStore {
  /** Stores blobs: readable when this resolves, durable after the next `flush`. */
  put(blobs: readonly KeyedBlob[]): Promise<void>;
  /** Receives a blob as a stream. Throws `BlobLengthError` as soon as it is longer than `key.size`, or if it ends shorter. */
  receive(key: BlobKey, body: AsyncIterable<Uint8Array>): Promise<ReceivedBlob>;
  /** Makes everything that was put or kept before this call durable, even against a power cut. */
  flush(): Promise<void>;
  /** Reads blobs in the order of `keys`; `undefined` if there is no blob of that size. */
  get(keys: readonly BlobKey[]): Promise<(Uint8Array | undefined)[]>;
  /** Reads the bytes of a blob from `from` up to `to`, at least one; `undefined` if they are not there. */
  part(key: BlobKey, from: number, to: number): Promise<Uint8Array | undefined>;
  /** Deletes blobs, ignoring those that do not exist, and `size`. */
  delete(keys: readonly BlobKey[]): Promise<void>;
  close(): Promise<void>;
  /** Set if clients upload and download blobs directly, so that none passes through the service. */
  readonly direct?: DirectBlobs;
}

/** Blobs in a storage that clients access directly, at presigned URLs. Times are milliseconds since the epoch. */
export interface DirectBlobs {
  /** Creates a URL for a PUT of `key.size` bytes that never replaces a blob, with its required headers. */
  presignPut(key: BlobKey, now: number, seconds: number): Promise<PresignedPut>;
  /** Creates a URL for a GET. */
  presignGet(key: BlobKey, now: number, seconds: number): Promise<string>;
  /**
   * Returns, in the order of `keys`, the size of each blob that exists, whatever the key says; cheap if the chunk ids are close
   * together.
   */
  present(keys: readonly BlobKey[]): Promise<readonly (number | undefined)[]>;
}

export interface PresignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body's length differs from the one that its URL was signed for. */
export class BlobLengthError extends Error {
  override readonly name = 'BlobLengthError';
}
