import { sql } from 'kysely';
import type { BackupSetSummary, UsageStore } from './usage-store.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

const DAY = 86_400_000;

export function createSqlUsageStore({ queries }: SqlDatabase): UsageStore {
  const lastOfEach = (sequences: readonly number[]) =>
    queries.selectFrom('session').select(['sequence', 'storage_used']).where('sequence', 'in', sequences).execute();

  const days: UsageStore['days'] = async (accountId, since) => {
    // Whole-number division, in both databases.
    const day = sql<number>`restore_point / ${sql.lit(DAY)}`;
    const rows = await queries
      .selectFrom('session')
      .select([
        day.as('day'),
        sql<number>`count(*)`.as('runs'),
        sql<number>`cast(sum(bytes) as bigint)`.as('bytes'),
        sql<number>`cast(sum(bytes_needed) as bigint)`.as('bytesNew'),
        sql<number>`max(sequence)`.as('last'),
      ])
      .where('account_id', '=', accountId)
      .where('sequence', 'is not', null)
      .where('restore_point', '>=', since)
      .groupBy(day)
      .orderBy(day)
      .execute();
    if (rows.length === 0) return [];
    const used = new Map(
      (await lastOfEach(rows.map(({ last }) => last))).map((row) => [row.sequence, row.storage_used]),
    );
    return rows.map(({ day: number, runs, bytes, bytesNew, last }) => ({
      day: number,
      runs,
      bytes,
      bytesNew,
      storageUsed: used.get(last) ?? 0,
    }));
  };

  const sets: UsageStore['sets'] = async (accountId) => {
    const rows = await queries
      .selectFrom('backup_set as b')
      .innerJoin('device as d', 'd.id', 'b.device_id')
      .leftJoin(
        queries
          .selectFrom('session')
          .select(['set_number', sql<number>`count(*)`.as('points'), sql<number>`max(restore_point)`.as('newest')])
          .where('account_id', '=', accountId)
          .where('sequence', 'is not', null)
          .where('removed_at', 'is', null)
          .groupBy('set_number')
          .as('p'),
        'p.set_number',
        'b.number',
      )
      .leftJoin('session as s', (join) =>
        join
          .onRef('s.set_number', '=', 'b.number')
          .onRef('s.restore_point', '=', 'p.newest')
          .on('s.removed_at', 'is', null),
      )
      .select([
        'd.id as deviceId',
        'd.name as deviceName',
        'b.name as name',
        'p.points',
        'p.newest',
        's.files',
        's.bytes',
      ])
      .where('b.account_id', '=', accountId)
      .orderBy('d.name')
      .orderBy('d.id')
      .orderBy('b.name')
      .execute();
    return rows.map((row): BackupSetSummary => ({
      deviceId: row.deviceId,
      deviceName: row.deviceName,
      name: row.name,
      restorePoints: row.points ?? 0,
      lastRestorePoint: row.newest ?? undefined,
      files: row.files ?? 0,
      bytes: row.bytes ?? 0,
    }));
  };

  return { days, sets };
}
