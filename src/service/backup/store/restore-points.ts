import { sql } from 'kysely';
import type { RestorePointRow, SessionStore } from './session.ts';
import type { SqlDatabase } from '../../database/sql-database.ts';

type RestorePoints = 'findSet' | 'sets' | 'restorePoints' | 'restorePointAt' | 'restorePointAfter';

export function createRestorePoints({ queries }: Pick<SqlDatabase, 'queries'>): Pick<SessionStore, RestorePoints> {
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
    findSet: async (deviceId, name) => {
      const row = await sets(deviceId).where('b.name', '=', name).executeTakeFirst();
      return row && setOf(row);
    },
    sets: async (deviceId) => (await sets(deviceId).orderBy('b.name').execute()).map(setOf),
    restorePoints: (setNumber) => points(setNumber).orderBy('restore_point', 'desc').execute(),
    restorePointAt: async (setNumber, time) =>
      (await points(setNumber).where('restore_point', '=', time).executeTakeFirst()) ??
      (await points(setNumber)
        .where((where) => where.or([where('restore_point', '<=', time), where('ended_at', '<=', time)]))
        .orderBy('restore_point', 'desc')
        .limit(1)
        .executeTakeFirst()),
    restorePointAfter: (setNumber, time) =>
      points(setNumber).where('restore_point', '>', time).orderBy('restore_point').limit(1).executeTakeFirst(),
  };
}

function setOf({ number, name, last }: { number: number; name: string; last: number | null }) {
  return { number, name, lastRestorePoint: last ?? undefined };
}
