import type { CollectionStore } from '../store/collection/collection-store.ts';
import type { ChunkStore } from '../store/metadata-store.ts';

/**
 * A chunk store whose answers hold: a chunk that somebody was told of is not dropped before their session has ended. Where
 * chunks were dropped while the question was being answered, it is asked again.
 */
export function withSparedChunks(chunks: ChunkStore, collection: Pick<CollectionStore, 'state' | 'spare'>): ChunkStore {
  // An old count asks once too often, never once too rarely.
  let drops = -1;
  const told = async <Answer>(
    ask: () => Promise<Answer>,
    idsOf: (answer: Answer) => readonly number[],
  ): Promise<Answer> => {
    if (drops < 0) ({ drops } = await collection.state());
    for (;;) {
      const before = drops;
      const answer = await ask();
      const ids = idsOf(answer);
      if (ids.length === 0) return answer;
      let state = await collection.state();
      if (state.pending) state = await collection.spare(ids);
      drops = Math.max(drops, state.drops);
      if (state.drops === before) return answer;
    }
  };
  return {
    ...chunks,
    resolve: (accountNumber, digests) =>
      told(
        () => chunks.resolve(accountNumber, digests),
        (rows) => rows.map((row) => row.id),
      ),
    find: (accountNumber, digests) =>
      told(
        () => chunks.find(accountNumber, digests),
        (rows) => rows.flatMap((row) => (row ? [row.id] : [])),
      ),
    needEarly: (session, offered) =>
      told(
        () => chunks.needEarly(session, offered),
        (rows) => (rows ?? []).flatMap(({ id, stored }) => (stored ? [id] : [])),
      ),
  };
}
