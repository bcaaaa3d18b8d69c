import type { Database } from 'better-sqlite3';
import type { EventSink } from '../../webhooks/account-event.ts';
import { newIdentifier } from '../../../identifier.ts';
import type { CompletedRun, SessionStore } from '../../metadata-store.ts';
import { durably } from '../../database/sqlite-connection.ts';
import { createRebase } from './session-rebase.ts';

/** Rows that are looked at between two turns of the event loop. */
const PAGE = 10_000;

interface OpenSession {
  readonly account_id: string;
  readonly device_id: string;
  readonly set_number: number;
  readonly base: number;
}

export function createCompletion(
  database: Database,
  events: EventSink,
): Pick<SessionStore, 'missingChunks' | 'complete'> {
  return { missingChunks: createMissingChunks(database), complete: createComplete(database, events) };
}

function createMissingChunks(database: Database): SessionStore['missingChunks'] {
  const page = database.prepare<[number, number, number], { ordinal: number; hash: string | null }>(
    `SELECT n.ordinal, iif(c.size IS n.size, NULL, 'sha256:' || lower(hex(c.digest))) AS hash
     FROM session_chunk n LEFT JOIN chunk c ON c.id = n.chunk_id
     WHERE +n.session = ? AND n.ordinal > ? ORDER BY n.ordinal LIMIT ?`,
  );
  return async (number, limit) => {
    const missing: string[] = [];
    let after = 0;
    for (;;) {
      const rows = page.all(number, after, PAGE);
      for (const { hash } of rows) if (hash !== null) missing.push(hash);
      if (rows.length < PAGE || missing.length >= limit) return missing.slice(0, limit);
      after = rows.at(-1)!.ordinal;
      await new Promise(setImmediate);
    }
  };
}

function createComplete(database: Database, events: EventSink): SessionStore['complete'] {
  const find = database.prepare<[number], OpenSession>(
    `SELECT account_id, device_id, set_number, base FROM session WHERE number = ? AND state = 'open'`,
  );
  const newest = database.prepare<[number], { sequence: number; restore_point: number }>(
    `SELECT sequence, restore_point FROM session WHERE set_number = ? AND sequence IS NOT NULL
     ORDER BY restore_point DESC LIMIT 1`,
  );
  const nextSequence = database.prepare<[], number>('SELECT coalesce(max(sequence), 0) + 1 FROM session').pluck();
  const storageUsed = database.prepare<[string], number>('SELECT storage_used FROM account WHERE id = ?').pluck();
  const endVersions = createEnding(database);
  const complete = database.prepare<[number, number, string, number, number, string, number]>(
    `UPDATE session SET state = 'completed', ended_at = ?, sequence = ?, backup_id = ?, restore_point = ?,
       storage_used = ?, stats_json = ? WHERE number = ?`,
  );
  const touchDevice = database.prepare<[number, string]>('UPDATE device SET last_backup = ? WHERE id = ?');
  const rebase = createRebase(database);

  return async (number, { now, stats, events: told }) =>
    durably(database, (): CompletedRun | undefined => {
      const session = find.get(number);
      if (!session) return undefined;
      const head = newest.get(session.set_number);
      if (head && head.sequence !== session.base) rebase(number, session.set_number, session.base, head.sequence);
      endVersions(number, session.set_number);
      const run: CompletedRun = {
        sequence: nextSequence.get()!,
        backupId: newIdentifier('bkp'),
        // Restore points of a set never share a time, and never go back when the clock does.
        restorePoint: Math.max(now, head ? head.restore_point + 1 : 0),
        storageUsed: storageUsed.get(session.account_id)!,
      };
      complete.run(now, run.sequence, run.backupId, run.restorePoint, run.storageUsed, JSON.stringify(stats), number);
      touchDevice.run(run.restorePoint, session.device_id);
      for (const event of told(run)) events.emit({ accountId: session.account_id, occurredAt: now, event });
      return run;
    });
}

/** By primary key, a page at a time: SQLite would walk the whole set for an UPDATE … FROM. */
function createEnding(database: Database): (session: number, setNumber: number) => void {
  const page = database.prepare<[number, string, number], { path_key: string; valid_from: number }>(
    'SELECT path_key, valid_from FROM session_end WHERE session = ? AND path_key > ? ORDER BY path_key LIMIT ?',
  );
  const end = database.prepare<[number, number, string, number]>(
    'UPDATE file_version SET valid_to = ? WHERE set_number = ? AND path_key = ? AND valid_from = ?',
  );
  return (session, setNumber) => {
    let rows = page.all(session, '', PAGE);
    while (rows.length > 0) {
      for (const row of rows) end.run(session, setNumber, row.path_key, row.valid_from);
      rows = page.all(session, rows.at(-1)!.path_key, PAGE);
    }
  };
}
