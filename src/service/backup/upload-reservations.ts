import type { ChunkStore } from './store/chunk-store.ts';

interface ReservedBlob {
  readonly accountId: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Blobs with a presigned URL that have not arrived, by chunk id. A reservation ends with its URL, or when the chunk is stored. */
export class UploadReservations {
  readonly #blobs = new Map<number, ReservedBlob>();
  readonly #bytes = new Map<string, number>();

  /** Returns the bytes that an account has reserved for other chunks than `except`. */
  bytes(accountId: string, except: readonly number[], now: number): number {
    this.#expire(now);
    const own = except.reduce((sum, id) => sum + (this.#blobs.get(id)?.bytes ?? 0), 0);
    return (this.#bytes.get(accountId) ?? 0) - own;
  }

  /** Returns whether the chunk had no reservation. An earlier URL stays valid, so the larger size counts. */
  reserve(id: number, { accountId, bytes, until }: ReservedBlob): boolean {
    const earlier = this.#blobs.get(id);
    this.release(id);
    const most = Math.max(bytes, earlier?.bytes ?? 0);
    this.#blobs.set(id, { accountId, bytes: most, until });
    this.#add(accountId, most);
    return !earlier;
  }

  /** Returns whether a chunk has that many bytes reserved. */
  holds(id: number, bytes: number, now: number): boolean {
    const blob = this.#blobs.get(id);
    return blob !== undefined && blob.until > now && blob.bytes >= bytes;
  }

  release(id: number): void {
    const blob = this.#blobs.get(id);
    if (!blob) return;
    this.#blobs.delete(id);
    this.#add(blob.accountId, -blob.bytes);
  }

  /** All reservations last equally long, so the oldest expire first. */
  #expire(now: number): void {
    for (const [id, { until }] of this.#blobs) {
      if (until > now) return;
      this.release(id);
    }
  }

  #add(accountId: string, bytes: number): void {
    const sum = (this.#bytes.get(accountId) ?? 0) + bytes;
    if (sum === 0) this.#bytes.delete(accountId);
    else this.#bytes.set(accountId, sum);
  }
}

/** Ends the reservations of chunks as they are stored. */
export function withReservations(chunks: ChunkStore, reservations: UploadReservations): ChunkStore {
  return {
    ...chunks,
    markStored: async (stored) => {
      await chunks.markStored(stored);
      for (const { id } of stored) reservations.release(id);
    },
  };
}
