import { sql } from 'kysely';
import { BLOB_OVERHEAD } from '../../../protocol/chunk.ts';
import type { CollectionState, CollectionStore } from './collection-store.ts';
import { keepChunksStill } from './chunk-lock.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';

/** Chunks in one statement. */
const AT_ONCE = 5_000;

export function createSqlCollectionStore(database: SqlDatabase): CollectionStore {
  const { queries } = database;
  return {
    state: () => stateOf(database),
    spare: async (chunkIds) => {
      // Whoever restores from a full disk must not have to write.
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
    chunks: async (accountNumber, after, limit) =>
      queries
        .selectFrom('chunk')
        .select(['id', 'digest'])
        .where('account_number', '=', accountNumber)
        .where('digest', '>', after)
        .orderBy('digest')
        .limit(limit)
        .execute(),
    begin: async (accountId, now) => {
      const { mark } = await queries
        .insertInto('collection')
        .values({ account_id: accountId, condemned_at: now, barrier: null })
        .returning('mark')
        .executeTakeFirstOrThrow();
      return mark;
    },
    condemn: (mark, chunkIds) =>
      database.transaction(async (transaction) => {
        for (const ids of slices(chunkIds)) {
          await transaction.queries
            .insertInto('condemned_chunk')
            .values(ids.map((chunkId) => ({ chunk_id: chunkId, mark })))
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      }),
    finish: (mark, now) =>
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
    due: (accountId, before) => database.transaction(async (transaction) => dueOf(transaction, accountId, before)),
    condemned: async (mark, after, limit) => {
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
    drop: (mark, chunkIds) =>
      database.transaction(async (transaction) => {
        await keepChunksStill(transaction);
        for (const ids of slices(chunkIds)) await drop(transaction, mark, ids);
      }),
    forget: async (mark) => {
      await queries.deleteFrom('collection').where('mark', '=', mark).execute();
    },
    dropped: async (limit) => {
      const rows = await queries.selectFrom('dropped_blob').selectAll().orderBy('chunk_id').limit(limit).execute();
      return rows.map((row) => ({
        accountId: row.account_id,
        chunkId: row.chunk_id,
        digest: row.digest.toString('hex'),
        size: row.size,
      }));
    },
    deleted: async (chunkIds) => {
      for (const ids of slices(chunkIds))
        await queries.deleteFrom('dropped_blob').where('chunk_id', 'in', ids).execute();
    },
    collectedAt: async (accountId) => {
      const row = await queries
        .selectFrom('retention_account')
        .select('collected_at')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row?.collected_at ?? 0;
    },
    collected: async (accountId, now) => {
      await queries
        .insertInto('retention_account')
        .values({ account_id: accountId, held_at: null, collected_at: now })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ collected_at: now }))
        .execute();
    },
    freeing: async (accountId) =>
      queries
        .selectFrom('collection as m')
        .innerJoin('condemned_chunk as c', 'c.mark', 'm.mark')
        .innerJoin('chunk', 'chunk.id', 'c.chunk_id')
        .select([
          'm.condemned_at as condemnedAt',
          sql<number>`CAST(sum(chunk.size + ${sql.lit(BLOB_OVERHEAD)}) AS BIGINT)`.as('bytes'),
        ])
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

/** What a process that died has begun is given up: without a barrier nobody knows who was told before. */
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
            .where('s.state', 'in', ['waiting', 'receiving', 'open'])
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
    .returning(['id', 'digest', 'size'])
    .execute();
  if (gone.length === 0) return;
  const ids = gone.map((row) => row.id);
  await queries.deleteFrom('lost_chunk').where('chunk_id', 'in', ids).execute();
  const freed = gone.reduce((sum, { size }) => sum + (size === null ? 0 : size + BLOB_OVERHEAD), 0);
  await queries
    .updateTable('account')
    .set(({ eb }) => ({ storage_used: eb('storage_used', '-', freed) }))
    .where('id', '=', account.id)
    .execute();
  await queries
    .insertInto('dropped_blob')
    .values(
      gone.map(({ id, digest, size }) => ({
        chunk_id: id,
        account_id: account.id,
        digest,
        size: size === null ? 0 : size + BLOB_OVERHEAD,
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
  for (let from = 0; from < ids.length; from += AT_ONCE) yield ids.slice(from, from + AT_ONCE);
}
