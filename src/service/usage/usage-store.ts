import { sql } from 'kysely';
import { personFigures } from './person-figures.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { DAY } from '../../model/units.ts';

/** The backups of one day (UTC). */
export interface UsageDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly runs: number;
  /** Plaintext bytes of all files of that day's runs. */
  readonly bytes: number;
  /** The part of these that the service did not have yet. */
  readonly bytesNew: number;
  /** Bytes of the account's blobs after the last of them. */
  readonly storageUsed: number;
}

/** A backup set of a device. */
export interface NamedSet {
  readonly number: number;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly name: string;
}

/** A backup set with its newest restore point. Times are milliseconds since the epoch. */
export interface BackupSetSummary extends NamedSet {
  readonly restorePoints: number;
  readonly lastRestorePoint: number | undefined;
  readonly files: number;
  readonly bytes: number;
}

/** An account's use, as its members see it. */
export function createUsageStore({ queries }: SqlDatabase) {
  const lastOfEach = (sequences: readonly number[]) =>
    queries.selectFrom('session').select(['sequence', 'storage_used']).where('sequence', 'in', sequences).execute();

  /** Returns days oldest first, without those on which nothing was backed up. */
  const days = async (accountId: string, since: number): Promise<readonly UsageDay[]> => {
    // Integer division in both databases.
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

  /** Returns the sets of all devices, including revoked ones, in the order of device and name. */
  const sets = async (accountId: string, deviceId?: string): Promise<readonly NamedSet[]> =>
    queries
      .selectFrom('backup_set as b')
      .innerJoin('device as d', 'd.id', 'b.device_id')
      .select(['b.number', 'd.id as deviceId', 'd.name as deviceName', 'b.name as name'])
      .where('b.account_id', '=', accountId)
      .$if(deviceId !== undefined, (query) => query.where('b.device_id', '=', deviceId!))
      .orderBy('d.name')
      .orderBy('d.id')
      .orderBy('b.name')
      .execute();

  /** Returns the restore points of some sets, in the same order. */
  const summaries = async (named: readonly NamedSet[]): Promise<readonly BackupSetSummary[]> => {
    if (named.length === 0) return [];
    const numbers = named.map(({ number }) => number);
    const rows = await queries
      .selectFrom(
        queries
          .selectFrom('session')
          .select(['set_number', sql<number>`count(*)`.as('points'), sql<number>`max(restore_point)`.as('newest')])
          .where('set_number', 'in', numbers)
          .where('sequence', 'is not', null)
          .where('removed_at', 'is', null)
          .groupBy('set_number')
          .as('p'),
      )
      .innerJoin('session as s', (join) =>
        join
          .onRef('s.set_number', '=', 'p.set_number')
          .onRef('s.restore_point', '=', 'p.newest')
          .on('s.removed_at', 'is', null),
      )
      .select(['p.set_number', 'p.points', 'p.newest', 's.files', 's.bytes', 's.stats_json'])
      .execute();
    const known = new Map(rows.map((row) => [row.set_number, row]));
    return named.map((set): BackupSetSummary => {
      const row = known.get(set.number);
      return {
        ...set,
        restorePoints: row?.points ?? 0,
        lastRestorePoint: row?.newest ?? undefined,
        ...(row ? personFigures(row) : { files: 0, bytes: 0 }),
      };
    });
  };

  return { days, sets, summaries };
}
