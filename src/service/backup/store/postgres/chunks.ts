import { type Kysely, sql } from 'kysely';
import type { SqlDatabase } from '../../../database/sql-database.ts';
import type { ChunkRow, ChunkStore, NeededChunk, LostChunk } from '../chunk-store.ts';
import { withinQuota } from '../quota-store.ts';
import { retryConflicts } from '../../../database/postgres/postgres-database.ts';
import type { Tables } from '../../../database/tables.ts';

/** Rows that are read at once. */
const PAGE = 10_000;

interface FoundChunk {
  readonly ord: number;
  readonly id: number;
  readonly size: number | null;
  readonly blob_size: number | null;
}

/**
 * The chunks in PostgreSQL: arrays, so that a few statements process thousands of rows however long the round trip to the server
 * takes.
 */
export function createPostgresChunkStore(database: SqlDatabase): ChunkStore {
  const { queries } = database;
  return {
    resolve: (accountNumber, digests) => retryConflicts(() => resolveChunks(queries, accountNumber, digests)),
    find: async (accountNumber, digests) => {
      const rows: (ChunkRow | undefined)[] = digests.map(() => undefined);
      for (const row of await findChunks(queries, accountNumber, digests)) rows[row.ord - 1] = chunkOf(row);
      return rows;
    },
    need: async (session, chunks) => {
      await retryConflicts(() => needChunks(queries, session.number, chunks));
    },
    needed: async (session, after, limit) => {
      const { rows } = await sql<NeededChunk & { ordinal: number }>`
        SELECT n.ordinal, n.chunk_id AS id, n.size, encode(c.digest, 'hex') AS digest
        FROM (SELECT ordinal, chunk_id, size FROM session_chunk
          WHERE session = ${session.number} AND ordinal > ${after} ORDER BY ordinal LIMIT ${limit}) n
        CROSS JOIN LATERAL (SELECT digest FROM chunk WHERE id = n.chunk_id OFFSET 0) c
        ORDER BY n.ordinal`.execute(queries);
      return rows;
    },
    findNeeded: async (session, digests) => {
      const found: (NeededChunk & { stored: boolean })[] = [];
      const { rows } = await sql<{ ord: number; id: number; size: number; stored: boolean }>`
        SELECT w.ord, c.id, n.size, c.size IS NOT NULL AS stored
        FROM unnest(${digests}::bytea[]) WITH ORDINALITY w (digest, ord)
        CROSS JOIN LATERAL (SELECT id, size FROM chunk WHERE digest = w.digest
          AND account_number = (SELECT number FROM account WHERE id = ${session.accountId}) OFFSET 0) c
        CROSS JOIN LATERAL (SELECT size FROM session_chunk
          WHERE chunk_id = c.id AND session = ${session.number} OFFSET 0) n`.execute(queries);
      for (const { ord, id, size, stored } of rows) {
        found[ord - 1] = { id, size, digest: digests[ord - 1]!.toString('hex'), stored };
      }
      return digests.map((_, index) => found[index]);
    },
    ...createEarlyChunks(database),
    ...createStoredMarks(queries),
    lostAmong: async (ids) => {
      const { rows } = await sql<LostChunk>`
        SELECT l.chunk_id AS id, encode(c.digest, 'hex') AS digest, l.size, l.blob_size AS "blobSize"
        FROM lost_chunk l JOIN chunk c ON c.id = l.chunk_id
        WHERE l.chunk_id = ANY (${ids}::bigint[]) ORDER BY l.chunk_id`.execute(queries);
      return rows;
    },
    lost: async (accountNumber) => {
      const rows = await queries
        .selectFrom('lost_chunk')
        .select('chunk_id')
        .where('account_number', '=', accountNumber)
        .execute();
      return rows.map((row) => row.chunk_id);
    },
  };
}

/**
 * OFFSET 0 forces one index search for each digest, however outdated PostgreSQL's statistics are.
 */
async function findChunks(queries: Kysely<Tables>, accountNumber: number, digests: readonly Buffer[]) {
  const { rows } = await sql<FoundChunk>`
    SELECT w.ord, c.id, c.size, c.blob_size FROM unnest(${digests}::bytea[]) WITH ORDINALITY w (digest, ord)
    CROSS JOIN LATERAL
      (SELECT id, size, blob_size FROM chunk WHERE account_number = ${accountNumber} AND digest = w.digest OFFSET 0) c`.execute(
    queries,
  );
  return rows;
}

async function resolveChunks(
  queries: Kysely<Tables>,
  accountNumber: number,
  digests: readonly Buffer[],
): Promise<ChunkRow[]> {
  const found: (ChunkRow | undefined)[] = digests.map(() => undefined);
  for (const row of await findChunks(queries, accountNumber, digests)) found[row.ord - 1] = chunkOf(row);
  // Another process may insert or sweep the same ones meanwhile.
  for (;;) {
    const unknown = [...found.keys()].filter((place) => found[place] === undefined);
    if (unknown.length === 0) return found.map((row) => row!);
    const missing = unknown.map((place) => digests[place]!);
    // In one order for all: two sessions with the same chunks would otherwise deadlock again and again.
    await sql`
      INSERT INTO chunk (account_number, digest)
      SELECT ${accountNumber}, w.digest FROM unnest(${missing}::bytea[]) w (digest) ORDER BY w.digest
      ON CONFLICT DO NOTHING`.execute(queries);
    for (const row of await findChunks(queries, accountNumber, missing)) found[unknown[row.ord - 1]!] = chunkOf(row);
  }
}

/**
 * Returns the bytes of the chunks that the session did not need before. The empty UPDATE takes the lock that conflicts with
 * `lockChunks` until this is committed.
 */
async function needChunks(
  queries: Kysely<Tables>,
  session: number,
  chunks: readonly { readonly id: number; readonly size: number }[],
): Promise<number> {
  const ids = chunks.map(({ id }) => id);
  const sizes = chunks.map(({ size }) => size);
  const { rows } = await sql<{ bytes: number }>`
    WITH announcing AS (UPDATE chunk SET size = size WHERE FALSE), added AS (
      INSERT INTO session_chunk (session, chunk_id, size)
      SELECT ${session}, n.id, n.size FROM unnest(${ids}::bigint[], ${sizes}::bigint[]) WITH ORDINALITY n (id, size, ord)
      ORDER BY n.ord ON CONFLICT DO NOTHING RETURNING size
    )
    SELECT coalesce(sum(size), 0)::bigint AS bytes FROM added`.execute(queries);
  return rows[0]!.bytes;
}

function createEarlyChunks(database: SqlDatabase): Pick<ChunkStore, 'needEarly' | 'announced'> {
  return {
    needEarly: ({ number }, chunks) =>
      database.lockingTransaction((inside) =>
        withinQuota(inside, number, () => needEarly(inside.queries, number, chunks)),
      ),
    announced: async (session, after) => {
      const rows = await database.queries
        .selectFrom('session_chunk')
        .select(['ordinal', 'chunk_id'])
        .where('session', '=', session)
        .where('ordinal', '>', after)
        .orderBy('ordinal')
        .limit(PAGE)
        .execute();
      return { ids: rows.map((row) => row.chunk_id), last: rows.at(-1)?.ordinal ?? after };
    },
  };
}

async function needEarly(
  queries: Kysely<Tables>,
  session: number,
  chunks: readonly { readonly digest: Buffer; readonly size: number }[],
): Promise<readonly (NeededChunk & { readonly stored: boolean })[] | undefined> {
  const { rows } = await sql<{ number: number }>`
    SELECT a.number FROM session s JOIN account a ON a.id = s.account_id
    WHERE s.number = ${session} AND s.state = 'waiting' FOR UPDATE OF s`.execute(queries);
  const [account] = rows;
  if (!account) return undefined;
  // Conflicts with `lockChunks`, so that no sweep of another session deletes a chunk that is announced here.
  await sql`LOCK TABLE chunk IN ROW EXCLUSIVE MODE`.execute(queries);
  const digests = chunks.map(({ digest }) => digest);
  const found = await resolveChunks(queries, account.number, digests);
  const wanted = found.flatMap(({ id, size }, index) =>
    size === undefined ? [{ id, size: chunks[index]!.size }] : [],
  );
  const reserved = await needChunks(queries, session, wanted);
  await sql`UPDATE session SET bytes_needed = bytes_needed + ${reserved} WHERE number = ${session}`.execute(queries);
  const sizes = await neededSizes(
    queries,
    session,
    wanted.map(({ id }) => id),
  );
  return found.map(({ id, size }, index) => {
    const digest = digests[index]!.toString('hex');
    if (size !== undefined) return { id, digest, size, stored: true };
    return { id, digest, size: sizes.get(id)!, stored: false };
  });
}

async function neededSizes(queries: Kysely<Tables>, session: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; size: number }>`
    SELECT chunk_id AS id, size FROM session_chunk
    WHERE session = ${session} AND chunk_id = ANY (${ids}::bigint[])`.execute(queries);
  return new Map(rows.map(({ id, size }) => [id, size]));
}

/** Keeps the account's use up to date, which counts blobs. */
function createStoredMarks(queries: Kysely<Tables>): Pick<ChunkStore, 'markStored' | 'markLost'> {
  return {
    markStored: (chunks) =>
      retryConflicts(async () => {
        const ids = chunks.map(({ id }) => id);
        const sizes = chunks.map(({ size }) => size);
        const blobSizes = chunks.map(({ blobSize }) => blobSize);
        await sql`
          WITH locked AS (
            SELECT id FROM chunk WHERE id = ANY (${ids}::bigint[]) AND size IS NULL ORDER BY id FOR UPDATE
          ), stored AS (
            UPDATE chunk c SET size = n.size, blob_size = n.blob_size FROM locked
            JOIN unnest(${ids}::bigint[], ${sizes}::bigint[], ${blobSizes}::bigint[]) n (id, size, blob_size)
            ON n.id = locked.id
            WHERE c.id = locked.id AND c.size IS NULL RETURNING c.id, c.account_number, c.blob_size
          ), found AS (
            DELETE FROM lost_chunk WHERE chunk_id IN (SELECT id FROM stored)
          )
          UPDATE account a SET storage_used = a.storage_used + added.bytes FROM (
            SELECT account_number, sum(blob_size)::bigint AS bytes FROM stored GROUP BY account_number
          ) added WHERE a.number = added.account_number`.execute(queries);
      }),
    markLost: (ids) =>
      retryConflicts(async () => {
        await sql`
          WITH known AS (
            SELECT id, size, blob_size FROM chunk WHERE id = ANY (${ids}::bigint[]) AND size IS NOT NULL ORDER BY id FOR UPDATE
          ), gone AS (
            UPDATE chunk c SET size = NULL, blob_size = NULL FROM known WHERE c.id = known.id
            RETURNING c.id, c.account_number, known.size, known.blob_size
          ), recorded AS (
            INSERT INTO lost_chunk (chunk_id, account_number, size, blob_size)
            SELECT id, account_number, size, blob_size FROM gone ON CONFLICT DO NOTHING
          )
          UPDATE account a SET storage_used = a.storage_used - taken.bytes FROM (
            SELECT account_number, sum(blob_size)::bigint AS bytes FROM gone GROUP BY account_number
          ) taken WHERE a.number = taken.account_number`.execute(queries);
      }),
  };
}

function chunkOf({ id, size, blob_size: blobSize }: FoundChunk): ChunkRow {
  return { id, size: size ?? undefined, blobSize: blobSize ?? undefined };
}
