import type { CollectionStore } from './collection-store.ts';
import type { ChunkStore } from '../backup/store/chunk-store.ts';

/**
 * Wraps a chunk store so that its results stay true: a chunk that was reported to a client is not dropped before its
 * session has ended. If chunks were dropped during a query, the query is repeated.
 */
export function withProtectedChunks(
  chunks: ChunkStore,
  collection: Pick<CollectionStore, 'state' | 'spare'>,
): ChunkStore {
  // An outdated count repeats a query once too often, but never once too rarely.
  let drops = -1;
  const protect = async <Result>(
    query: () => Promise<Result>,
    idsOf: (result: Result) => readonly number[],
  ): Promise<Result> => {
    if (drops < 0) ({ drops } = await collection.state());
    for (;;) {
      const before = drops;
      const result = await query();
      const ids = idsOf(result);
      if (ids.length === 0) return result;
      let state = await collection.state();
      if (state.pending) state = await collection.spare(ids);
      drops = Math.max(drops, state.drops);
      if (state.drops === before) return result;
    }
  };
  return {
    ...chunks,
    resolve: (accountNumber, digests) =>
      protect(
        () => chunks.resolve(accountNumber, digests),
        (rows) => rows.map((row) => row.id),
      ),
    find: (accountNumber, digests) =>
      protect(
        () => chunks.find(accountNumber, digests),
        (rows) => rows.flatMap((row) => (row ? [row.id] : [])),
      ),
    needEarly: (session, offered) =>
      protect(
        () => chunks.needEarly(session, offered),
        (rows) => (rows ?? []).flatMap(({ id, stored }) => (stored ? [id] : [])),
      ),
  };
}
