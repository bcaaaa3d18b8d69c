/** One piece of the records of a tree: its chunk, and all that the footer needs to know of it. */
export interface KnownPiece {
  /** Entry path of its first record. */
  readonly firstPath: string;
  /** SHA-256 of the chunk, 32 raw bytes. */
  readonly digest: Buffer;
  /** Bytes of the chunk. */
  readonly size: number;
  /** SHA-256 of its raw bytes, 32 raw bytes. */
  readonly recordsHash: Buffer;
  /** `EntriesHash` of the files whose records end in it, 32 raw bytes. */
  readonly entriesHash: Buffer;
  readonly records: number;
  readonly files: number;
  /** Of its files. */
  readonly bytes: number;
}
