import type { Database } from 'better-sqlite3';
import type { EventSink } from '../../events.ts';
import { newIdentifier } from '../../identifier.ts';
import type { BackupSession, SessionState, SessionStore } from '../metadata-store.ts';
import { createRestorePoints } from './restore-points.ts';
import { createCompletion } from './session-completion.ts';
import { createSweep } from './session-sweep.ts';

interface SessionRow {
  readonly id: string;
  readonly number: number;
  readonly account_id: string;
  readonly device_id: string;
  readonly device_name: string;
  readonly set_number: number;
  readonly set_name: string;
  readonly state: SessionState;
  readonly created_at: number;
  readonly base: number;
  readonly files: number;
  readonly bytes: number;
  readonly bytes_needed: number;
  readonly chunks_needed: number;
  readonly chunks_deduped: number;
  readonly sequence: number | null;
  readonly backup_id: string;
  readonly restore_point: number;
  readonly storage_used: number;
}

const SESSION = `SELECT s.*, d.name AS device_name, b.name AS set_name FROM session s
  JOIN device d ON d.id = s.device_id JOIN backup_set b ON b.number = s.set_number`;

export function createSessionStore(database: Database, events: EventSink): SessionStore {
  const find = database.prepare<[string], SessionRow>(`${SESSION} WHERE s.id = ?`);
  const overdue = database.prepare<[number, number], SessionRow>(
    `${SESSION} WHERE s.swept = 0 AND s.state IN ('receiving', 'open') AND s.created_at < ? ORDER BY s.number LIMIT ?`,
  );
  const open = database.prepare<[number, number, number, number, number, number]>(
    `UPDATE session SET state = 'open', files = ?, bytes = ?, bytes_needed = ?, chunks_needed = ?, chunks_deduped = ?
     WHERE number = ? AND state = 'receiving'`,
  );
  const progress = database.prepare<[string, number]>('UPDATE session SET progress_json = ? WHERE number = ?');
  const fail = database.prepare<[number, number]>(
    `UPDATE session SET state = 'failed', ended_at = ? WHERE number = ? AND state IN ('receiving', 'open')`,
  );
  const accountOf = database.prepare<[number], string>('SELECT account_id FROM session WHERE number = ?').pluck();
  const begin = createBeginning(database);

  return {
    begin: async (session) => sessionOf(find.get(begin.immediate(session))!),
    open: async (number, totals, event, now) =>
      database
        .transaction(() => {
          const { files, bytes, bytesNeeded, chunksNeeded, chunksDeduped } = totals;
          open.run(files, bytes, bytesNeeded, chunksNeeded, chunksDeduped, number);
          events.emit({ accountId: accountOf.get(number)!, occurredAt: now, event });
        })
        .immediate(),
    find: async (id) => {
      const row = find.get(id);
      return row && sessionOf(row);
    },
    progress: async (number, reported) => void progress.run(JSON.stringify(reported), number),
    fail: async (number, now, event) =>
      database
        .transaction(() => {
          if (fail.run(now, number).changes === 0) return false;
          if (event) events.emit({ accountId: accountOf.get(number)!, occurredAt: now, event });
          return true;
        })
        .immediate(),
    overdue: async (before, limit) => overdue.all(before, limit).map(sessionOf),
    sweep: createSweep(database),
    ...createCompletion(database, events),
    ...createRestorePoints(database),
  };
}

function createBeginning(database: Database) {
  const findSet = database
    .prepare<[string, string], number>('SELECT number FROM backup_set WHERE device_id = ? AND name = ?')
    .pluck();
  const addSet = database.prepare<[string, string, string]>(
    'INSERT INTO backup_set (account_id, device_id, name) VALUES (?, ?, ?)',
  );
  const newest = database
    .prepare<[number], number>(
      `SELECT sequence FROM session WHERE set_number = ? AND sequence IS NOT NULL ORDER BY restore_point DESC LIMIT 1`,
    )
    .pluck();
  const insert = database.prepare<[string, string, string, number, number, number]>(
    `INSERT INTO session (id, account_id, device_id, set_number, state, created_at, base)
     VALUES (?, ?, ?, ?, 'receiving', ?, ?)`,
  );
  return database.transaction((...[session]: Parameters<SessionStore['begin']>): string => {
    const { accountId, deviceId, setName, now } = session;
    const setNumber =
      findSet.get(deviceId, setName) ?? Number(addSet.run(accountId, deviceId, setName).lastInsertRowid);
    const id = newIdentifier('ses');
    insert.run(id, accountId, deviceId, setNumber, now, newest.get(setNumber) ?? 0);
    return id;
  });
}

function sessionOf(row: SessionRow): BackupSession {
  const { sequence } = row;
  return {
    id: row.id,
    number: row.number,
    accountId: row.account_id,
    deviceId: row.device_id,
    deviceName: row.device_name,
    setNumber: row.set_number,
    setName: row.set_name,
    state: row.state,
    createdAt: row.created_at,
    base: row.base,
    totals: {
      files: row.files,
      bytes: row.bytes,
      bytesNeeded: row.bytes_needed,
      chunksNeeded: row.chunks_needed,
      chunksDeduped: row.chunks_deduped,
    },
    run:
      sequence === null
        ? undefined
        : {
            sequence,
            backupId: row.backup_id,
            restorePoint: row.restore_point,
            storageUsed: row.storage_used,
          },
  };
}
