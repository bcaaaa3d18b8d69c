import type { Selectable } from 'kysely';
import type { EmittedEvent } from '../../../protocol/webhooks.ts';
import type { RansomwareReason, RunChanges } from '../../../rules/ransomware.ts';
import { newIdentifier } from '../../identifier.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { AlarmTable } from '../database/tables.ts';

/** A run that looked like ransomware. */
export interface Alarm {
  readonly id: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly setNumber: number;
  readonly setName: string;
  readonly reasons: readonly RansomwareReason[];
  readonly raisedAt: number;
}

/** The changes of runs until they are checked, and the alarms raised. Times are milliseconds since the epoch. */
export interface AlarmStore {
  recordChanges(sessionId: string, changes: RunChanges, now: number): Promise<void>;
  changesOf(sessionId: string): Promise<RunChanges | undefined>;
  /** Deletes the changes of runs whose manifest arrived before `before`. */
  pruneChanges(before: number): Promise<void>;
  isRaised(sessionId: string): Promise<boolean>;
  /** Records the alarm with its event; does nothing if the run has already raised one. */
  raise(alarm: Omit<Alarm, 'id'>, event: EmittedEvent): Promise<void>;
  /** Returns the newest alarms first. */
  list(accountId: string, limit: number): Promise<readonly Alarm[]>;
}

export function createAlarmStore(database: SqlDatabase): AlarmStore {
  const { queries } = database;
  return {
    recordChanges: async (sessionId, { filesBefore, versions, ended, bytes, newBytes }, now) => {
      const changes = { recorded_at: now, files_before: filesBefore, versions, ended, bytes, new_bytes: newBytes };
      await queries
        .insertInto('run_changes')
        .values({ session_id: sessionId, ...changes })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet(changes))
        .execute();
    },
    changesOf: async (sessionId) => {
      const row = await queries
        .selectFrom('run_changes')
        .selectAll()
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      if (!row) return undefined;
      const { files_before: filesBefore, versions, ended, bytes, new_bytes: newBytes } = row;
      return { filesBefore, versions, ended, bytes, newBytes };
    },
    pruneChanges: async (before) => {
      await queries.deleteFrom('run_changes').where('recorded_at', '<', before).execute();
    },
    isRaised: async (sessionId) => {
      const row = await queries.selectFrom('alarm').select('id').where('session_id', '=', sessionId).executeTakeFirst();
      return row !== undefined;
    },
    raise: async (alarm, event) =>
      database.transaction(async (transaction) => {
        const added = await transaction.queries
          .insertInto('alarm')
          .values({
            id: newIdentifier('alm'),
            account_id: alarm.accountId,
            session_id: alarm.sessionId,
            device_id: alarm.deviceId,
            set_number: alarm.setNumber,
            set_name: alarm.setName,
            reasons_json: JSON.stringify(alarm.reasons),
            raised_at: alarm.raisedAt,
          })
          .onConflict((conflict) => conflict.column('session_id').doNothing())
          .executeTakeFirst();
        if ((added.numInsertedOrUpdatedRows ?? 0n) === 0n) return;
        await transaction.emit({ accountId: alarm.accountId, occurredAt: alarm.raisedAt, event });
      }),
    list: async (accountId, limit) => {
      const rows = await queries
        .selectFrom('alarm')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('raised_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => alarmOf(row));
    },
  };
}

function alarmOf(row: Selectable<AlarmTable>): Alarm {
  return {
    id: row.id,
    accountId: row.account_id,
    sessionId: row.session_id,
    deviceId: row.device_id,
    setNumber: row.set_number,
    setName: row.set_name,
    reasons: JSON.parse(row.reasons_json) as readonly RansomwareReason[],
    raisedAt: row.raised_at,
  };
}
