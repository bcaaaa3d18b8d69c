import { sql } from 'kysely';
import type { BlobKey } from '../objects/object-store.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import { lockChunks } from '../backup/store/chunk-lock.ts';
import { UNFINISHED } from '../backup/store/session.ts';

/** One search for unreferenced chunks, which were condemned together. */
export interface Collection {
  readonly mark: number;
  readonly condemnedAt: number;
}

/** Progress of deletion: `drops` changes when chunks are dropped, `pending` means that some may be dropped soon. */
export interface CollectionState {
  readonly drops: number;
  readonly pending: boolean;
}

/** Chunks in one statement. */
const BATCH = 5_000;

export type CollectionStore = ReturnType<typeof createCollectionStore>;

/**
 * Chunks on their way to deletion: condemned, dropped, deleted. docs/decisions/0030-collecting-chunks.md explains why a client
 * that was told about a stored chunk never loses it.
 */
export function createCollectionStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    state: (): Promise<CollectionState> => stateOf(database),
    /** Removes chunks from the condemned ones; returns the state afterwards. */
    spare: async (chunkIds: readonly number[]): Promise<CollectionState> => {
      // Restores from a full disk must not need to write.
      let found = false;
      for (const ids of slices(chunkIds)) {
        found ||=
          (await queries
            .selectFrom('condemned_chunk')
            .select('chunk_id')
            .where('chunk_id', 'in', ids)
            .limit(1)
            .executeTakeFirst()) !== undefined;
      }
      if (!found) return stateOf(database);
      return database.transaction(async (transaction) => {
        for (const ids of slices(chunkIds)) {
          await transaction.queries.deleteFrom('condemned_chunk').where('chunk_id', 'in', ids).execute();
        }
        return stateOf(transaction);
      });
    },
    /** Returns the account's chunks with digests greater than `after` (empty to start with), in the order of their digests. */
    chunks: async (
      accountNumber: number,
      after: Buffer,
      limit: number,
    ): Promise<readonly { readonly id: number; readonly digest: Buffer }[]> =>
      queries
        .selectFrom('chunk')
        .select(['id', 'digest'])
        .where('account_number', '=', accountNumber)
        .where('digest', '>', after)
        .orderBy('digest')
        .limit(limit)
        .execute(),
    /** Begins a collection; returns its mark. */
    begin: async (accountId: string, now: number): Promise<number> => {
      const { mark } = await queries
        .insertInto('collection')
        .values({ account_id: accountId, condemned_at: now, barrier: null })
        .returning('mark')
        .executeTakeFirstOrThrow();
      return mark;
    },
    /** Condemns chunks; already condemned ones keep their earlier mark. */
    condemn: (mark: number, chunkIds: readonly number[]): Promise<void> =>
      database.transaction(async (transaction) => {
        for (const ids of slices(chunkIds)) {
          await transaction.queries
            .insertInto('condemned_chunk')
            .values(ids.map((chunkId) => ({ chunk_id: chunkId, mark })))
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      }),
    /** Ends the condemning under this mark; its grace period begins. */
    finish: (mark: number, now: number): Promise<void> =>
      database.transaction(async (transaction) => {
        const newest = await transaction.queries
          .selectFrom('session')
          .select(({ fn }) => fn.max<number | null>('number').as('number'))
          .executeTakeFirst();
        await transaction.queries
          .updateTable('collection')
          .set({ condemned_at: now, barrier: newest?.number ?? 0 })
          .where('mark', '=', mark)
          .execute();
      }),
    /** Begins the grace periods anew of the account's marks that are later than now: the clock was ahead then. */
    beginAnew: async (accountId: string, now: number): Promise<void> => {
      await queries
        .updateTable('collection')
        .set({ condemned_at: now })
        .where('account_id', '=', accountId)
        .where('condemned_at', '>', now)
        .execute();
    },
    /** Returns the account's marks from `before` or earlier whose sessions have all ended. Deletes marks that were never finished. */
    due: (accountId: string, before: number): Promise<readonly Collection[]> =>
      database.transaction(async (transaction) => dueOf(transaction, accountId, before)),
    /** Returns the chunks condemned under a mark with ids greater than `after`. */
    condemned: async (mark: number, after: number, limit: number): Promise<readonly number[]> => {
      const rows = await queries
        .selectFrom('condemned_chunk')
        .select('chunk_id')
        .where('mark', '=', mark)
        .where('chunk_id', '>', after)
        .orderBy('chunk_id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.chunk_id);
    },
    /**
     * Drops those of the chunks that are still condemned under this mark and that no session needs; their blobs are listed for
     * deletion. Does nothing while the account is held.
     */
    drop: (mark: number, chunkIds: readonly number[]): Promise<void> =>
      database.transaction(async (transaction) => {
        await lockChunks(transaction);
        for (const ids of slices(chunkIds)) await drop(transaction, mark, ids);
      }),
    /** Deletes a mark under which no chunk is condemned any more. */
    forget: async (mark: number): Promise<void> => {
      await queries.deleteFrom('collection').where('mark', '=', mark).execute();
    },
    /** Returns dropped blobs that have yet to be deleted. */
    dropped: async (limit: number): Promise<readonly BlobKey[]> => {
      const rows = await queries.selectFrom('dropped_blob').selectAll().orderBy('chunk_id').limit(limit).execute();
      return rows.map((row) => ({
        accountId: row.account_id,
        chunkId: row.chunk_id,
        digest: row.digest.toString('hex'),
        size: row.size,
      }));
    },
    /** Records that the blobs are deleted. */
    deleted: async (chunkIds: readonly number[]): Promise<void> => {
      for (const ids of slices(chunkIds))
        await queries.deleteFrom('dropped_blob').where('chunk_id', 'in', ids).execute();
    },
    /** Returns when unreferenced chunks of the account were last searched for; 0 if there may be new ones. */
    collectedAt: async (accountId: string): Promise<number> => {
      const row = await queries
        .selectFrom('retention_account')
        .select('collected_at')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row?.collected_at ?? 0;
    },
    collected: async (accountId: string, now: number): Promise<void> => {
      await queries
        .insertInto('retention_account')
        .values({ account_id: accountId, held_at: null, collected_at: now })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ collected_at: now }))
        .execute();
    },
    /** Returns the bytes of the account's condemned blobs by the time at which they were condemned. */
    freeing: async (accountId: string): Promise<readonly { readonly condemnedAt: number; readonly bytes: number }[]> =>
      queries
        .selectFrom('collection as m')
        .innerJoin('condemned_chunk as c', 'c.mark', 'm.mark')
        .innerJoin('chunk', 'chunk.id', 'c.chunk_id')
        .select(['m.condemned_at as condemnedAt', sql<number>`CAST(sum(chunk.blob_size) AS BIGINT)`.as('bytes')])
        .where('m.account_id', '=', accountId)
        .where('m.barrier', 'is not', null)
        .where('chunk.size', 'is not', null)
        .groupBy('m.condemned_at')
        .orderBy('m.condemned_at')
        .execute(),
  };
}

async function stateOf({ queries }: Pick<SqlDatabase, 'queries'>): Promise<CollectionState> {
  const { rows } = await sql<{ drops: number; pending: number }>`
    SELECT drops, CASE WHEN EXISTS (SELECT 1 FROM condemned_chunk) THEN 1 ELSE 0 END AS pending
    FROM collection_state WHERE id = 1`.execute(queries);
  const { drops, pending } = rows[0]!;
  return { drops, pending: pending === 1 };
}

/** A collection that a killed process began is deleted: without a barrier the sessions before it are unknown. */
async function dueOf({ queries }: SqlTransaction, accountId: string, before: number) {
  const unfinished = queries
    .selectFrom('collection')
    .select('mark')
    .where('account_id', '=', accountId)
    .where('barrier', 'is', null);
  await queries.deleteFrom('condemned_chunk').where('mark', 'in', unfinished).execute();
  await queries.deleteFrom('collection').where('account_id', '=', accountId).where('barrier', 'is', null).execute();
  return queries
    .selectFrom('collection as m')
    .select(['m.mark', 'm.condemned_at as condemnedAt'])
    .where('m.account_id', '=', accountId)
    .where('m.condemned_at', '<=', before)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('session as s')
            .select('s.number')
            .where('s.state', 'in', UNFINISHED)
            .where('s.swept', '=', 0)
            .whereRef('s.account_id', '=', 'm.account_id')
            .whereRef('s.number', '<=', 'm.barrier'),
        ),
      ),
    )
    .orderBy('m.mark')
    .execute();
}

async function drop({ queries }: SqlTransaction, mark: number, chunkIds: readonly number[]): Promise<void> {
  const account = await queries
    .selectFrom('collection as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .leftJoin('retention_account as r', 'r.account_id', 'a.id')
    .select(['a.id', 'a.number', 'r.held_at'])
    .where('m.mark', '=', mark)
    .executeTakeFirst();
  if (!account || account.held_at !== null) return;
  const condemned = await queries
    .deleteFrom('condemned_chunk')
    .where('mark', '=', mark)
    .where('chunk_id', 'in', chunkIds)
    .returning('chunk_id')
    .execute();
  if (condemned.length === 0) return;
  const gone = await queries
    .deleteFrom('chunk')
    .where(
      'id',
      'in',
      condemned.map((row) => row.chunk_id),
    )
    .where('account_number', '=', account.number)
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('session_chunk as n').select('n.chunk_id').whereRef('n.chunk_id', '=', 'chunk.id'),
        ),
      ),
    )
    .returning(['id', 'digest', 'blob_size'])
    .execute();
  if (gone.length === 0) return;
  const ids = gone.map((row) => row.id);
  await queries.deleteFrom('lost_chunk').where('chunk_id', 'in', ids).execute();
  const freed = gone.reduce((sum, { blob_size: size }) => sum + (size ?? 0), 0);
  await queries
    .updateTable('account')
    .set(({ eb }) => ({ storage_used: eb('storage_used', '-', freed) }))
    .where('id', '=', account.id)
    .execute();
  await queries
    .insertInto('dropped_blob')
    .values(
      gone.map(({ id, digest, blob_size: size }) => ({
        chunk_id: id,
        account_id: account.id,
        digest,
        size: size ?? 0,
      })),
    )
    .execute();
  await queries
    .updateTable('collection_state')
    .set(({ eb }) => ({ drops: eb('drops', '+', 1) }))
    .where('id', '=', 1)
    .execute();
}

function* slices(ids: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < ids.length; from += BATCH) yield ids.slice(from, from + BATCH);
}
