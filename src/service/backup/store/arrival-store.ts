import type { SqlDatabase } from '../../database/sql-database.ts';

/** A chunk that an unfinished session has to upload, and that has not been seen in the storage yet. */
export interface AwaitedChunk {
  readonly ordinal: number;
  readonly id: number;
  /** 64 hex digits. */
  readonly digest: string;
  /** Plaintext bytes. */
  readonly size: number;
}

/** The chunks that clients may have uploaded directly to a bucket. */
export function createArrivalStore({ queries }: SqlDatabase) {
  return {
    /** Returns the sessions of a device that are unfinished, or have failed and are not swept. */
    unfinished: async (deviceId: string): Promise<readonly number[]> => {
      const rows = await queries
        .selectFrom('session')
        .select('number')
        .where('device_id', '=', deviceId)
        .where('state', 'in', ['waiting', 'receiving', 'open', 'failed', 'continued'])
        .where('swept', '=', 0)
        .orderBy('number')
        .execute();
      return rows.map(({ number }) => number);
    },
    /** Returns the chunks that a session awaits with ordinals greater than `after` (0 to start with). */
    awaited: async (session: number, after: number, limit: number): Promise<readonly AwaitedChunk[]> => {
      const rows = await queries
        .selectFrom('session_chunk as needed')
        .innerJoin('chunk', 'chunk.id', 'needed.chunk_id')
        .select(['needed.ordinal', 'chunk.id', 'chunk.digest', 'needed.size'])
        .where('needed.session', '=', session)
        .where('needed.ordinal', '>', after)
        .where('chunk.size', 'is', null)
        .orderBy('needed.ordinal')
        .limit(limit)
        .execute();
      return rows.map(({ ordinal, id, digest, size }) => ({ ordinal, id, digest: digest.toString('hex'), size }));
    },
  };
}
