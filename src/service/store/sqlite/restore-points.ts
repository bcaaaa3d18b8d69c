import type { Database } from 'better-sqlite3';
import type { RestorePointRow, SessionStore } from '../metadata-store.ts';

interface SetRow {
  readonly number: number;
  readonly name: string;
  readonly last: number | null;
}

const POINT = `SELECT sequence, backup_id AS backupId, restore_point AS restorePoint, files, bytes FROM session
  WHERE set_number = ? AND sequence IS NOT NULL AND removed_at IS NULL`;
const SET = `SELECT number, name, (SELECT max(restore_point) FROM session s
  WHERE s.set_number = backup_set.number AND s.sequence IS NOT NULL AND s.removed_at IS NULL) AS last FROM backup_set WHERE device_id = ?`;

export function createRestorePoints(
  database: Database,
): Pick<SessionStore, 'findSet' | 'sets' | 'restorePoints' | 'restorePointAt' | 'restorePointAfter'> {
  const set = database.prepare<[string, string], SetRow>(`${SET} AND name = ?`);
  const sets = database.prepare<[string], SetRow>(`${SET} ORDER BY name`);
  const all = database.prepare<[number], RestorePointRow>(`${POINT} ORDER BY restore_point DESC`);
  const before = database.prepare<[number, number], RestorePointRow>(
    `${POINT} AND restore_point <= ? ORDER BY restore_point DESC LIMIT 1`,
  );
  const after = database.prepare<[number, number], RestorePointRow>(
    `${POINT} AND restore_point > ? ORDER BY restore_point LIMIT 1`,
  );
  const setOf = ({ number, name, last }: SetRow) => ({ number, name, lastRestorePoint: last ?? undefined });
  return {
    findSet: async (deviceId, name) => {
      const row = set.get(deviceId, name);
      return row && setOf(row);
    },
    sets: async (deviceId) => sets.all(deviceId).map(setOf),
    restorePoints: async (setNumber) => all.all(setNumber),
    restorePointAt: async (setNumber, time) => before.get(setNumber, time),
    restorePointAfter: async (setNumber, time) => after.get(setNumber, time),
  };
}
