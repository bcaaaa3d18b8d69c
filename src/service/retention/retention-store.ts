import { sql } from 'kysely';
import { type RetentionPolicy, retentionPolicy } from '../../protocol/retention.ts';
import { RESTORE_LIFETIME } from '../restore/restore-store.ts';
import type {
  PointTotals,
  RetentionFacts,
  RetentionSettings,
  SetReference,
  StoredPoint,
  StoredRun,
} from './retention-facts.ts';
import type { VersionKey, VersionSpan } from '../backup/store/version-span.ts';
import { createRetentionDecisions } from './retention-decisions.ts';
import { UNFINISHED } from '../backup/store/session.ts';
import type { Queries, SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import { DAY } from '../../model/units.ts';

/** Milliseconds after a restore's last request for which it protects its restore point. */
const RESTORE_PROTECTION = DAY;

/** Sessions in one statement: PostgreSQL accepts 65,535 values, SQLite half as many. */
const AT_ONCE = 1_000;
const CHUNKS_AT_ONCE = 10_000;

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/** Retention rules, and the removal of restore points. Times are milliseconds since the epoch. */
export function createRetentionStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    facts: (set: SetReference, now: number): Promise<RetentionFacts> =>
      database.transaction(async (transaction) => factsOf(transaction, set, now)),
    ...createRetentionDecisions(database),
    /**
     * Removes restore points in one transaction with the facts by which they are chosen. `choose` returns session numbers and is
     * pure. Versions of files stay until `deleteVersions`.
     */
    remove: (
      set: SetReference,
      now: number,
      choose: (facts: RetentionFacts) => readonly number[],
    ): Promise<readonly number[]> =>
      database.transaction(async (transaction) => {
        await lockRestores(transaction);
        const chosen = choose(await factsOf(transaction, set, now));
        for (let from = 0; from < chosen.length; from += AT_ONCE) {
          await transaction.queries
            .updateTable('session')
            .set({ removed_at: now })
            .where('number', 'in', chosen.slice(from, from + AT_ONCE))
            .where('set_number', '=', set.setNumber)
            .where('removed_at', 'is', null)
            .execute();
        }
        return chosen;
      }),
    /** Returns the sets with a policy that was last applied before `before`. */
    due: async (before: number): Promise<readonly SetReference[]> =>
      queries
        .selectFrom('retention_set as r')
        .innerJoin('backup_set as b', 'b.number', 'r.set_number')
        .select(['b.account_id as accountId', 'b.number as setNumber'])
        .where('r.policy_json', 'is not', null)
        .where('r.applied_at', '<', before)
        .orderBy('b.number')
        .execute(),
    applied: async (setNumber: number, now: number): Promise<void> => {
      await queries.updateTable('retention_set').set({ applied_at: now }).where('set_number', '=', setNumber).execute();
    },
    setsOf: async (accountId: string): Promise<readonly number[]> => {
      const rows = await queries
        .selectFrom('backup_set')
        .select('number')
        .where('account_id', '=', accountId)
        .orderBy('number')
        .execute();
      return rows.map((row) => row.number);
    },
    accounts: async (): Promise<readonly { readonly id: string; readonly number: number }[]> =>
      queries.selectFrom('account').select(['id', 'number']).orderBy('number').execute(),
    /** Resolves when every session that began before this call is visible with its base. */
    settle: async (setNumber: number): Promise<void> => {
      // SQLite allows only one writing transaction.
      if (database.dialect === 'sqlite') return;
      await queries.selectFrom('backup_set').select('number').where('number', '=', setNumber).forUpdate().execute();
    },
    /** Returns the sequences, ascending, of the set's restore points and of removed ones that unfinished sessions are relative to. */
    sequences: async (setNumber: number): Promise<readonly number[]> => {
      const rows = await queries
        .selectFrom('session')
        .select('sequence')
        .where('set_number', '=', setNumber)
        .where('sequence', 'is not', null)
        .where((where) =>
          where.or([where('removed_at', 'is', null), where('sequence', 'in', basesInUse(database, setNumber))]),
        )
        .orderBy('sequence')
        .execute();
      return rows.map((row) => row.sequence!);
    },
    /** Returns removed sessions of a set whose versions are not deleted, and that no unfinished session is relative to. */
    uncleared: async (setNumber: number): Promise<readonly number[]> => {
      const rows = await queries
        .selectFrom('session')
        .select('number')
        .where('set_number', '=', setNumber)
        .where('removed_at', 'is not', null)
        .where('cleared', '=', 0)
        .where('sequence', 'not in', basesInUse(database, setNumber))
        .execute();
      return rows.map((row) => row.number);
    },
    /** Returns the sets with such sessions. */
    unclearedSets: async (): Promise<readonly SetReference[]> =>
      queries
        .selectFrom('session')
        .select(['account_id as accountId', 'set_number as setNumber'])
        .distinct()
        .where('removed_at', 'is not', null)
        .where('cleared', '=', 0)
        .execute(),
    /** Returns versions after `after`, in the order of their paths. */
    versions: (setNumber: number, after: VersionKey | undefined, limit: number): Promise<readonly VersionSpan[]> =>
      versionsOf(database, setNumber, after, limit),
    /** Returns the totals of a set's restore points, in the order of their sequences. */
    totals: async (setNumber: number): Promise<readonly PointTotals[]> =>
      (await queries
        .selectFrom('session')
        .select(['sequence', 'files', 'bytes'])
        .where('set_number', '=', setNumber)
        .where('sequence', 'is not', null)
        .where('removed_at', 'is', null)
        .orderBy('sequence')
        .execute()) as readonly PointTotals[],
    /** Returns the digests of chunks by their ids; chunks that do not exist are missing. */
    digests: (chunkIds: readonly number[]): Promise<ReadonlyMap<number, Buffer>> => digestsOf(database, chunkIds),
    /**
     * Checks the structure of the database, and that all versions belong to a set of an account.
     *
     * @returns the problem, or `undefined` if there is none
     */
    structureProblem: async (): Promise<string | undefined> =>
      (await database.structureProblem()) ?? (await strayVersions(database)),
    /** Returns the bytes of the chunks' blobs, by chunk id; chunks that are not stored are missing. */
    blobSizes: (chunkIds: readonly number[]): Promise<ReadonlyMap<number, number>> => blobSizesOf(database, chunkIds),
    /** Returns the set's removed sessions with versions that other restore points need, and the bytes of these when they were last counted. */
    removedTrees: async (
      setNumber: number,
    ): Promise<readonly { readonly session: number; readonly treeBytes: number }[]> =>
      queries
        .selectFrom('session')
        .select(['number as session', 'tree_bytes as treeBytes'])
        .where('set_number', '=', setNumber)
        .where('removed_at', 'is not', null)
        .where('tree_bytes', '>', 0)
        .execute(),
    setTreeBytes: async (session: number, treeBytes: number): Promise<void> => {
      await queries.updateTable('session').set({ tree_bytes: treeBytes }).where('number', '=', session).execute();
    },
    deleteVersions: (setNumber: number, versions: readonly VersionKey[]): Promise<void> =>
      deleteVersions(database, setNumber, versions),
    cleared: async (sessions: readonly number[]): Promise<void> => {
      for (let from = 0; from < sessions.length; from += AT_ONCE) {
        await queries
          .updateTable('session')
          .set({ cleared: 1 })
          .where('number', 'in', sessions.slice(from, from + AT_ONCE))
          .execute();
      }
    },
  };
}

/**
 * Prevents restores from beginning until the transaction ends. It comes first: otherwise PostgreSQL could miss a restore that
 * began a moment ago, and that restore could miss the removal. SQLite allows only one writing transaction anyway.
 */
async function lockRestores({ dialect, queries }: SqlTransaction): Promise<void> {
  if (dialect === 'postgres') await sql`LOCK TABLE restore_session IN SHARE MODE`.execute(queries);
}

async function factsOf(
  { queries }: Pick<SqlDatabase, 'queries'>,
  { accountId, setNumber }: SetReference,
  now: number,
): Promise<RetentionFacts> {
  const settings = await settingsOf({ queries }, accountId, setNumber);
  const points = await queries
    .selectFrom('session as s')
    .leftJoin('pinned_point as p', 'p.session', 's.number')
    .select(['s.number', 's.sequence', 's.backup_id', 's.restore_point', 's.ended_at', 's.files', 'p.session as pin'])
    .where('s.set_number', '=', setNumber)
    .where('s.sequence', 'is not', null)
    .where('s.removed_at', 'is', null)
    .orderBy('s.sequence')
    .execute();
  const bases = await basesInUse({ queries }, setNumber).execute();
  const restores = await queries
    .selectFrom('restore_session')
    .select('sequence')
    .where('set_number', '=', setNumber)
    .where('completed_at', 'is', null)
    // A restore's last request was RESTORE_LIFETIME before it expires.
    .where('expires_at', '>', now + RESTORE_LIFETIME - RESTORE_PROTECTION)
    .execute();
  const used = new Set([...bases.map((row) => row.base), ...restores.map((row) => row.sequence)]);
  const runs = await queries
    .selectFrom('session')
    .select(['sequence', 'restore_point as restorePoint'])
    .where('account_id', '=', accountId)
    .where('sequence', 'is not', null)
    .execute();
  return {
    settings,
    points: points.map((row): StoredPoint => ({
      session: row.number,
      sequence: row.sequence!,
      backupId: row.backup_id!,
      restorePoint: row.restore_point!,
      completedAt: row.ended_at!,
      pinned: row.pin !== null,
      files: row.files,
      inUse: used.has(row.sequence!),
    })),
    runs: runs as readonly StoredRun[],
  };
}

/** Selects the sequences of the trees that unfinished sessions are relative to. */
function basesInUse({ queries }: Pick<SqlDatabase, 'queries'>, setNumber: number) {
  return queries
    .selectFrom('session')
    .select('base')
    .where('set_number', '=', setNumber)
    .where('swept', '=', 0)
    .where('state', 'in', UNFINISHED);
}

async function settingsOf(
  { queries }: Pick<SqlDatabase, 'queries'>,
  accountId: string,
  setNumber: number,
): Promise<RetentionSettings> {
  const set = await queries
    .selectFrom('retention_set')
    .select(['policy_json', 'policy_since', 'minimum_days'])
    .where('set_number', '=', setNumber)
    .executeTakeFirst();
  const account = await queries
    .selectFrom('retention_account')
    .select(['minimum_days', 'held_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const policyJson = set?.policy_json ?? null;
  return {
    policy: policyJson === null ? undefined : policyOf(policyJson),
    policySince: set?.policy_since ?? undefined,
    setMinimumDays: set?.minimum_days ?? 0,
    accountMinimumDays: account?.minimum_days ?? 0,
    heldAt: account?.held_at ?? undefined,
  };
}

function policyOf(json: string): RetentionPolicy {
  return retentionPolicy.parse(JSON.parse(json));
}

interface VersionRow {
  readonly path_key: string;
  readonly valid_from: number;
  readonly from_sequence: number | null;
  readonly to_sequence: number | null;
  readonly size: number;
  readonly chunks: Buffer;
}

/** PostgreSQL's index contains the first 600 characters of a path, SQLite's the whole path. */
async function versionsOf(
  { queries, dialect }: Queries,
  setNumber: number,
  after: VersionKey | undefined,
  limit: number,
): Promise<readonly VersionSpan[]> {
  const path = after?.pathKey ?? '';
  const from = after?.validFrom ?? 0;
  const place =
    dialect === 'postgres'
      ? sql`left(v.path_key, 600) >= left(${path}, 600)
          AND (left(v.path_key, 600), v.path_key, v.valid_from) > (left(${path}, 600), ${path}, ${from})`
      : sql`(v.path_key, v.valid_from) > (${path}, ${from})`;
  const order =
    dialect === 'postgres' ? sql`left(v.path_key, 600), v.path_key, v.valid_from` : sql`v.path_key, v.valid_from`;
  const { rows } = await sql<VersionRow>`
    SELECT v.path_key, v.valid_from, v.size, v.chunks,
      (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) AS from_sequence,
      (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) AS to_sequence
    FROM file_version v WHERE v.set_number = ${setNumber} AND ${place}
    ORDER BY ${order} LIMIT ${limit}`.execute(queries);
  return rows.map((row) => ({
    pathKey: row.path_key,
    validFrom: row.valid_from,
    from: row.from_sequence ?? undefined,
    to: row.to_sequence ?? undefined,
    size: row.size,
    chunks: row.chunks,
  }));
}

async function deleteVersions(
  database: SqlDatabase,
  setNumber: number,
  versions: readonly VersionKey[],
): Promise<void> {
  if (versions.length === 0) return;
  const pairs = sql.join(versions.map(({ pathKey, validFrom }) => sql`(${pathKey}, ${validFrom})`));
  const beginnings = sql.join(versions.map(({ pathKey }) => sql`left(${pathKey}, 600)`));
  const chosen =
    database.dialect === 'postgres'
      ? sql`left(path_key, 600) IN (${beginnings}) AND (path_key, valid_from) IN (${pairs})`
      : sql`(path_key, valid_from) IN (VALUES ${pairs})`;
  await database.transaction(async (transaction) => {
    await sql`DELETE FROM file_version WHERE set_number = ${setNumber} AND ${chosen}`.execute(transaction.queries);
  });
}

async function digestsOf(
  { queries }: Pick<SqlDatabase, 'queries'>,
  chunkIds: readonly number[],
): Promise<ReadonlyMap<number, Buffer>> {
  const digests = new Map<number, Buffer>();
  for (let from = 0; from < chunkIds.length; from += CHUNKS_AT_ONCE) {
    const rows = await queries
      .selectFrom('chunk')
      .select(['id', 'digest'])
      .where('id', 'in', chunkIds.slice(from, from + CHUNKS_AT_ONCE))
      .execute();
    for (const { id, digest } of rows) digests.set(id, digest);
  }
  return digests;
}

/** Their chunks would look unreferenced. Jumps from set to set, since there are many versions. */
async function strayVersions({ queries }: Pick<SqlDatabase, 'queries'>): Promise<string | undefined> {
  const { rows } = await sql<{ number: number }>`
    WITH RECURSIVE s (number) AS (
      SELECT min(set_number) FROM file_version
      UNION ALL SELECT (SELECT min(v.set_number) FROM file_version v WHERE v.set_number > s.number) FROM s WHERE s.number IS NOT NULL
    )
    SELECT s.number FROM s WHERE s.number IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM backup_set b JOIN account a ON a.id = b.account_id WHERE b.number = s.number
    ) LIMIT 1`.execute(queries);
  return rows[0] && `versions of files belong to the set ${rows[0].number}, which no account has`;
}

async function blobSizesOf(
  { queries }: Pick<SqlDatabase, 'queries'>,
  chunkIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const sizes = new Map<number, number>();
  for (let from = 0; from < chunkIds.length; from += CHUNKS_AT_ONCE) {
    const rows = await queries
      .selectFrom('chunk')
      .select(['id', 'blob_size as bytes'])
      .where('id', 'in', chunkIds.slice(from, from + CHUNKS_AT_ONCE))
      .where('blob_size', 'is not', null)
      .execute();
    for (const { id, bytes } of rows) sizes.set(id, bytes!);
  }
  return sizes;
}
