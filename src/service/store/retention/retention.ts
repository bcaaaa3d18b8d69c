import { sql } from 'kysely';
import type { RetentionPolicy } from '../../../protocol/retention.ts';
import { retentionPolicy } from '../../../protocol/retention.ts';
import { RESTORE_LIFETIME } from '../restores/restore-lifetime.ts';
import type {
  RetentionFacts,
  RetentionSettings,
  RetentionStore,
  SetReference,
  StoredPoint,
  StoredRun,
  VersionPlace,
  VersionSpan,
} from './retention-store.ts';
import { createRetentionDecisions } from './retention-decisions.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';

/** A restore that was not heard of for longer keeps its restore point no more. */
const RESTORE_PROTECTION = 24 * 3_600_000;

/** Sessions in one statement: PostgreSQL takes 65,535 values, SQLite half of that. */
const AT_ONCE = 1_000;

type Queries = Pick<SqlDatabase, 'queries' | 'dialect'>;

export function createSqlRetentionStore(database: SqlDatabase): RetentionStore {
  const { queries } = database;
  return {
    facts: (set, now) => database.transaction(async (transaction) => factsOf(transaction, set, now)),
    ...createRetentionDecisions(database),
    remove: (set, now, choose) =>
      database.transaction(async (transaction) => {
        await keepRestoresStill(transaction);
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
    due: async (before) =>
      queries
        .selectFrom('retention_set as r')
        .innerJoin('backup_set as b', 'b.number', 'r.set_number')
        .select(['b.account_id as accountId', 'b.number as setNumber'])
        .where('r.policy_json', 'is not', null)
        .where('r.applied_at', '<', before)
        .orderBy('b.number')
        .execute(),
    applied: async (setNumber, now) => {
      await queries.updateTable('retention_set').set({ applied_at: now }).where('set_number', '=', setNumber).execute();
    },
    setsOf: async (accountId) => {
      const rows = await queries
        .selectFrom('backup_set')
        .select('number')
        .where('account_id', '=', accountId)
        .orderBy('number')
        .execute();
      return rows.map((row) => row.number);
    },
    accounts: async () => queries.selectFrom('account').select(['id', 'number']).orderBy('number').execute(),
    settle: async (setNumber) => {
      // SQLite has one writer at a time.
      if (database.dialect === 'sqlite') return;
      await queries.selectFrom('backup_set').select('number').where('number', '=', setNumber).forUpdate().execute();
    },
    sequences: async (setNumber) => {
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
    uncleared: async (setNumber) => {
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
    unclearedSets: async () =>
      queries
        .selectFrom('session')
        .select(['account_id as accountId', 'set_number as setNumber'])
        .distinct()
        .where('removed_at', 'is not', null)
        .where('cleared', '=', 0)
        .execute(),
    versions: (setNumber, after, limit) => versionsOf(database, setNumber, after, limit),
    deleteVersions: (setNumber, versions) => deleteVersions(database, setNumber, versions),
    cleared: async (sessions) => {
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
 * Until the transaction ends no restore begins. It comes first: otherwise PostgreSQL would not show the one that began a
 * moment ago, nor the removal to that one. SQLite lets one transaction write at a time anyway.
 */
async function keepRestoresStill({ dialect, queries }: SqlTransaction): Promise<void> {
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
    .select(['s.number', 's.sequence', 's.backup_id', 's.restore_point', 'p.session as pin'])
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
    // It ends so long after it was last heard of.
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
      pinned: row.pin !== null,
      inUse: used.has(row.sequence!),
    })),
    runs: runs as readonly StoredRun[],
  };
}

/** Sequences of the trees that sessions under way are relative to. */
function basesInUse({ queries }: Pick<SqlDatabase, 'queries'>, setNumber: number) {
  return queries
    .selectFrom('session')
    .select('base')
    .where('set_number', '=', setNumber)
    .where('swept', '=', 0)
    .where('state', 'in', ['waiting', 'receiving', 'open']);
}

async function settingsOf(
  { queries }: Pick<SqlDatabase, 'queries'>,
  accountId: string,
  setNumber: number,
): Promise<RetentionSettings> {
  const set = await queries
    .selectFrom('retention_set')
    .select(['policy_json', 'minimum_days'])
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
  readonly chunks: Buffer;
}

/** PostgreSQL's index knows the first 600 characters of a path; SQLite's the path. */
async function versionsOf(
  { queries, dialect }: Queries,
  setNumber: number,
  after: VersionPlace | undefined,
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
    SELECT v.path_key, v.valid_from, v.chunks,
      (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) AS from_sequence,
      (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) AS to_sequence
    FROM file_version v WHERE v.set_number = ${setNumber} AND ${place}
    ORDER BY ${order} LIMIT ${limit}`.execute(queries);
  return rows.map((row) => ({
    pathKey: row.path_key,
    validFrom: row.valid_from,
    from: row.from_sequence ?? undefined,
    to: row.to_sequence ?? undefined,
    chunks: row.chunks,
  }));
}

async function deleteVersions(
  database: SqlDatabase,
  setNumber: number,
  versions: readonly VersionPlace[],
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
