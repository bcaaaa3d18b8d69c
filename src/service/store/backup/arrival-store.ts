/** A chunk that an unfinished session has to bring, and that nobody has seen in the storage yet. */
export interface AwaitedChunk {
  readonly ordinal: number;
  readonly id: number;
  /** 64 hex digits. */
  readonly digest: string;
  /** Plaintext bytes. */
  readonly size: number;
}

/** What clients may have brought to a storage that they reach by themselves. */
export interface ArrivalStore {
  /** Sessions of a device that have not ended as a run, or have failed and are not cleared away. */
  unfinished(deviceId: string): Promise<readonly number[]>;
  /** What a session awaits, behind an ordinal (0 to begin with). */
  awaited(session: number, after: number, limit: number): Promise<readonly AwaitedChunk[]>;
}
