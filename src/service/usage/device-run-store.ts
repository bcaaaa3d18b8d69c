import { sql } from 'kysely';
import { personFigures } from './person-figures.ts';
import { backupStats } from '../../protocol/backup.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { DAY } from '../../model/units.ts';

/** A backup run of a device. Times are milliseconds since the epoch. */
export interface DeviceRun {
  readonly sessionId: string;
  readonly setName: string;
  readonly state: 'running' | 'completed' | 'failed';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Why a failed run ended; `undefined` if its manifest never arrived completely. */
  readonly failure: 'aborted' | 'expired' | undefined;
  /** Files and plaintext bytes of its manifest. */
  readonly files: number;
  readonly bytes: number;
  readonly bytesNew: number;
  /** Files that the agent could not back up as they are on the disk. */
  readonly warnings: number;
  readonly isSuspicious: boolean;
}

/** Runs of a device that ended on one day (UTC). */
export interface DeviceDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly completed: number;
  readonly failed: number;
}

/** The history of one device. */
export function createDeviceRunStore({ queries }: SqlDatabase) {
  const select = (deviceId: string) =>
    queries
      .selectFrom('session as s')
      .innerJoin('backup_set as b', 'b.number', 's.set_number')
      .leftJoin('alarm as a', 'a.session_id', 's.id')
      .select([
        's.id',
        's.state',
        's.created_at',
        's.ended_at',
        's.failure',
        's.files',
        's.bytes',
        's.bytes_needed',
        's.stats_json',
        'b.name',
        'a.id as alarm',
      ])
      .where('s.device_id', '=', deviceId);
  type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];
  const runOf = (row: Row): DeviceRun => ({
    sessionId: row.id,
    setName: row.name,
    state: row.state === 'completed' || row.state === 'failed' ? row.state : 'running',
    startedAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
    failure: row.failure === 'aborted' || row.failure === 'expired' ? row.failure : undefined,
    ...personFigures(row),
    bytesNew: row.bytes_needed,
    warnings: warningsOf(row.stats_json),
    isSuspicious: row.alarm !== null,
  });
  return {
    /** Newest first. */
    runs: async (deviceId: string, limit: number): Promise<readonly DeviceRun[]> => {
      const rows = await select(deviceId)
        .where('s.state', '!=', 'continued')
        .orderBy('s.number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(runOf);
    },
    /** Returns the last run that failed. */
    lastFailure: async (deviceId: string): Promise<DeviceRun | undefined> => {
      const row = await select(deviceId)
        // A literal, so that SQLite uses the index of failed sessions.
        .where('s.state', '=', sql.lit('failed'))
        .orderBy('s.ended_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && runOf(row);
    },
    /** Returns days oldest first, without those on which nothing ended. */
    days: async (deviceId: string, since: number): Promise<readonly DeviceDay[]> => {
      // Integer division in both databases.
      const day = sql<number>`ended_at / ${sql.lit(DAY)}`;
      return queries
        .selectFrom('session')
        .select([
          day.as('day'),
          sql<number>`cast(sum(case when state = 'completed' then 1 else 0 end) as bigint)`.as('completed'),
          sql<number>`cast(sum(case when state = 'failed' then 1 else 0 end) as bigint)`.as('failed'),
        ])
        .where('device_id', '=', deviceId)
        .where('state', 'in', ['completed', 'failed'])
        .where('ended_at', '>=', since)
        .groupBy(day)
        .orderBy(day)
        .execute();
    },
  };
}

function warningsOf(statsJson: string | null): number {
  if (statsJson === null) return 0;
  const stats = backupStats.safeParse(JSON.parse(statsJson));
  return stats.data?.warnings ?? 0;
}
