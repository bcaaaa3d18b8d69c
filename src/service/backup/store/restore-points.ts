import { sql } from 'kysely';
import type { BackupSetRow, RestorePointRow } from './session.ts';
import type { SqlDatabase } from '../../database/sql-database.ts';

export function createRestorePoints({ queries }: Pick<SqlDatabase, 'queries'>) {
  const points = (setNumber: number) =>
    queries
      .selectFrom('session')
      .select([
        'sequence',
        'backup_id as backupId',
        'restore_point as restorePoint',
        'ended_at as completedAt',
        'files',
        'bytes',
      ])
      .where('set_number', '=', setNumber)
      .where('sequence', 'is not', null)
      .where('removed_at', 'is', null)
      .$narrowType<Pick<RestorePointRow, 'sequence' | 'backupId' | 'restorePoint' | 'completedAt'>>();
  const sets = (deviceId: string) =>
    queries
      .selectFrom('backup_set as b')
      .select(['b.number', 'b.name'])
      .select(
        sql<number | null>`(SELECT max(s.restore_point) FROM session s
          WHERE s.set_number = b.number AND s.sequence IS NOT NULL AND s.removed_at IS NULL)`.as('last'),
      )
      .where('b.device_id', '=', deviceId);
  return {
    findSet: async (deviceId: string, name: string): Promise<BackupSetRow | undefined> => {
      const row = await sets(deviceId).where('b.name', '=', name).executeTakeFirst();
      return row && setOf(row);
    },
    sets: async (deviceId: string): Promise<readonly BackupSetRow[]> =>
      (await sets(deviceId).orderBy('b.name').execute()).map(setOf),
    /** Newest first. */
    restorePoints: (setNumber: number): Promise<readonly RestorePointRow[]> =>
      points(setNumber).orderBy('restore_point', 'desc').execute(),
    /** Finds the restore point that has a time, or else the newest of those that have an earlier one or were completed until then. */
    restorePointAt: async (setNumber: number, time: number): Promise<RestorePointRow | undefined> =>
      (await points(setNumber).where('restore_point', '=', time).executeTakeFirst()) ??
      (await points(setNumber)
        .where((where) => where.or([where('restore_point', '<=', time), where('ended_at', '<=', time)]))
        .orderBy('restore_point', 'desc')
        .limit(1)
        .executeTakeFirst()),
    /** Finds the first restore point after `time`. */
    restorePointAfter: (setNumber: number, time: number): Promise<RestorePointRow | undefined> =>
      points(setNumber).where('restore_point', '>', time).orderBy('restore_point').limit(1).executeTakeFirst(),
  };
}

function setOf({ number, name, last }: { number: number; name: string; last: number | null }) {
  return { number, name, lastRestorePoint: last ?? undefined };
}
