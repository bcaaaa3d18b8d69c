import type { Database } from 'better-sqlite3';
import type { EventSink } from '../../webhooks/account-event.ts';
import { newIdentifier } from '../../../identifier.ts';
import type { createRestorePoints } from '../restore-points.ts';
import type { ManifestTotals, NewSession, SessionState, SessionStore } from '../../metadata-store.ts';
import { sessionOf } from '../session-row.ts';
import type { SessionRow } from '../session-row.ts';
import { createCompletion } from './session-completion.ts';
import { createSweep } from './session-sweep.ts';

const SESSION = `SELECT s.*, d.name AS device_name, b.name AS set_name FROM session s
  JOIN device d ON d.id = s.device_id JOIN backup_set b ON b.number = s.set_number`;

/** What is not about restore points. */
type Sessions = Omit<SessionStore, keyof ReturnType<typeof createRestorePoints>>;

export function createSessionStore(database: Database, events: EventSink): Sessions {
  const find = database.prepare<[string], SessionRow>(`${SESSION} WHERE s.id = ?`);
  const overdue = database.prepare<[number, number], SessionRow>(
    `${SESSION} WHERE s.swept = 0 AND s.state IN ('waiting', 'receiving', 'open') AND s.active_at < ?
     ORDER BY s.number LIMIT ?`,
  );
  const open = database.prepare<[number, number, number, number, number, number]>(
    `UPDATE session SET state = 'open', files = ?, bytes = ?, bytes_needed = ?, chunks_needed = ?, chunks_deduped = ?
     WHERE number = ? AND state = 'receiving'`,
  );
  const progress = database.prepare<[string, number]>('UPDATE session SET progress_json = ? WHERE number = ?');
  const fail = database.prepare<[number, number]>(
    `UPDATE session SET state = 'failed', ended_at = ? WHERE number = ? AND state IN ('waiting', 'receiving', 'open')`,
  );
  const touch = database.prepare<[number, number]>('UPDATE session SET active_at = max(active_at, ?) WHERE number = ?');
  const accountOf = database.prepare<[number], string>('SELECT account_id FROM session WHERE number = ?').pluck();
  const begin = createBeginning(database);
  const openWith = (number: number, totals: ManifestTotals): boolean => {
    const { files, bytes, bytesNeeded, chunksNeeded, chunksDeduped } = totals;
    return open.run(files, bytes, bytesNeeded, chunksNeeded, chunksDeduped, number).changes > 0;
  };
  const continueWith = createContinuation(database, openWith);

  return {
    begin: async (session) => sessionOf(find.get(begin.immediate(session, 'receiving'))!),
    wait: async (session, event) =>
      database
        .transaction(() => {
          const waiting = sessionOf(find.get(begin(session, 'waiting'))!);
          events.emit({ accountId: session.accountId, occurredAt: session.now, event: event(waiting) });
          return waiting;
        })
        .immediate(),
    open: async (number, totals, event, now) =>
      database
        .transaction(() => {
          openWith(number, totals);
          events.emit({ accountId: accountOf.get(number)!, occurredAt: now, event });
        })
        .immediate(),
    continueWith: async (waiting, receiving, totals) => {
      const id = continueWith.immediate(waiting, receiving, totals);
      return id === undefined ? undefined : sessionOf(find.get(id)!);
    },
    touch: async (number, now) => void touch.run(now, number),
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
  const insert = database.prepare<[string, string, string, number, SessionState, number, number, number]>(
    `INSERT INTO session (id, account_id, device_id, set_number, state, created_at, active_at, base)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return database.transaction((session: NewSession, state: SessionState): string => {
    const { accountId, deviceId, setName, now } = session;
    const setNumber =
      findSet.get(deviceId, setName) ?? Number(addSet.run(accountId, deviceId, setName).lastInsertRowid);
    const id = newIdentifier('ses');
    insert.run(id, accountId, deviceId, setNumber, state, now, now, newest.get(setNumber) ?? 0);
    return id;
  });
}

/**
 * The manifest went into a row of its own, so that one that is refused leaves the waiting session as it was. That row takes
 * the name now; the other one keeps what was announced early, until the session has ended.
 */
function createContinuation(database: Database, open: (number: number, totals: ManifestTotals) => boolean) {
  const find = database.prepare<[number], { id: string; created_at: number }>(
    `SELECT id, created_at FROM session WHERE number = ? AND state = 'waiting'`,
  );
  const giveUp = database.prepare<[string, number, number]>(
    `UPDATE session SET id = ?, state = 'continued', continued_by = ? WHERE number = ?`,
  );
  const takeOver = database.prepare<[string, number, number]>(
    'UPDATE session SET id = ?, created_at = ? WHERE number = ?',
  );
  return database.transaction((waiting: number, receiving: number, totals: ManifestTotals): string | undefined => {
    const session = find.get(waiting);
    if (!session || !open(receiving, totals)) return undefined;
    giveUp.run(newIdentifier('ses'), receiving, waiting);
    takeOver.run(session.id, session.created_at, receiving);
    return session.id;
  });
}
