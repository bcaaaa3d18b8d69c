import type { ArrivalStore } from './arrival-store.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

export function createSqlArrivalStore({ queries }: SqlDatabase): ArrivalStore {
  return {
    unfinished: async (deviceId) => {
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
    awaited: async (session, after, limit) => {
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
