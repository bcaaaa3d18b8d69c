import type { Database } from 'better-sqlite3';
import type { EventSink } from '../../events.ts';
import { newIdentifier } from '../../identifier.ts';
import type { RestoreSession, RestoreStore } from '../metadata-store.ts';

interface RestoreRow {
  readonly id: string;
  readonly account_id: string;
  readonly device_id: string;
  readonly device_name: string;
  readonly set_number: number;
  readonly set_name: string;
  readonly sequence: number;
  readonly restore_point: number;
  readonly path: string;
  readonly recursive: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly completed_at: number | null;
}

export function createRestoreStore(database: Database, events: EventSink): RestoreStore {
  const insert = database.prepare<[string, string, string, number, number, string, number, number, number]>(
    `INSERT INTO restore_session
       (id, account_id, device_id, set_number, sequence, path, recursive, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const find = database.prepare<[string], RestoreRow>(
    `SELECT r.*, d.name AS device_name, b.name AS set_name, s.restore_point
     FROM restore_session r JOIN device d ON d.id = r.device_id JOIN backup_set b ON b.number = r.set_number
     JOIN session s ON s.sequence = r.sequence WHERE r.id = ?`,
  );
  const started = database.prepare<[number, number, string]>(
    'UPDATE restore_session SET files = ?, bytes = ? WHERE id = ?',
  );
  const completed = database.prepare<[number, string]>(
    'UPDATE restore_session SET completed_at = ? WHERE id = ? AND completed_at IS NULL',
  );
  const prune = database.prepare<[number]>('DELETE FROM restore_session WHERE expires_at < ?');
  const account = database.prepare<[string], string>('SELECT account_id FROM restore_session WHERE id = ?').pluck();

  return {
    create: async (session) => {
      const id = newIdentifier('rst');
      const { accountId, deviceId, setNumber, sequence, path, recursive, createdAt, expiresAt } = session;
      insert.run(id, accountId, deviceId, setNumber, sequence, path, recursive ? 1 : 0, createdAt, expiresAt);
      return sessionOf(find.get(id)!);
    },
    find: async (id) => {
      const row = find.get(id);
      return row && sessionOf(row);
    },
    started: async (id, totals, event, now) =>
      database
        .transaction(() => {
          started.run(totals.files, totals.bytes, id);
          events.emit({ accountId: account.get(id)!, occurredAt: now, event });
        })
        .immediate(),
    completed: async (id, event, now) =>
      database
        .transaction(() => {
          if (completed.run(now, id).changes === 0) return;
          events.emit({ accountId: account.get(id)!, occurredAt: now, event });
        })
        .immediate(),
    prune: async (now) => void prune.run(now),
  };
}

function sessionOf(row: RestoreRow): RestoreSession {
  return {
    id: row.id,
    accountId: row.account_id,
    deviceId: row.device_id,
    deviceName: row.device_name,
    setNumber: row.set_number,
    setName: row.set_name,
    sequence: row.sequence,
    restorePoint: row.restore_point,
    path: row.path,
    recursive: row.recursive === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    totals: row.files === null || row.bytes === null ? undefined : { files: row.files, bytes: row.bytes },
    completedAt: row.completed_at ?? undefined,
  };
}
