import type { Selectable } from 'kysely';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { RansomwareReason, RunChanges } from '../../rules/ransomware.ts';
import { newIdentifier } from '../identifier.ts';
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

/** An alarm that nobody has released yet. */
export interface OpenAlarm extends Alarm {
  readonly deviceName: string;
  /** The restore point of the suspicious run; `undefined` until it completes, and once the point is removed. */
  readonly restorePoint: number | undefined;
  /** The set's newest restore point before the first of its open alarms. */
  readonly lastGood: number | undefined;
}

/** The changes of runs until they are checked, and the alarms raised. Times are milliseconds since the epoch. */
export function createAlarmStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    recordChanges: async (
      sessionId: string,
      { filesBefore, versions, ended, bytes, newBytes }: RunChanges,
      now: number,
    ): Promise<void> => {
      const changes = { recorded_at: now, files_before: filesBefore, versions, ended, bytes, new_bytes: newBytes };
      await queries
        .insertInto('run_changes')
        .values({ session_id: sessionId, ...changes })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet(changes))
        .execute();
    },
    changesOf: async (sessionId: string): Promise<RunChanges | undefined> => {
      const row = await queries
        .selectFrom('run_changes')
        .selectAll()
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      if (!row) return undefined;
      const { files_before: filesBefore, versions, ended, bytes, new_bytes: newBytes } = row;
      return { filesBefore, versions, ended, bytes, newBytes };
    },
    /** Deletes the changes of runs whose manifest arrived before `before`. */
    pruneChanges: async (before: number): Promise<void> => {
      await queries.deleteFrom('run_changes').where('recorded_at', '<', before).execute();
    },
    isRaised: async (sessionId: string): Promise<boolean> => {
      const row = await queries.selectFrom('alarm').select('id').where('session_id', '=', sessionId).executeTakeFirst();
      return row !== undefined;
    },
    /** Records the alarm with its event; does nothing if the run has already raised one. */
    raise: async (alarm: Omit<Alarm, 'id'>, event: EmittedEvent): Promise<void> =>
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
    /** Returns the newest alarms first. */
    list: async (accountId: string, limit: number): Promise<readonly Alarm[]> => {
      const rows = await queries
        .selectFrom('alarm')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('raised_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => alarmOf(row));
    },
    /** Returns the alarms since removals are held, newest first; none if they are not held. */
    open: async (accountId: string, limit: number): Promise<readonly OpenAlarm[]> => {
      const rows = await queries
        .selectFrom('alarm as a')
        .innerJoin('retention_account as r', 'r.account_id', 'a.account_id')
        .innerJoin('device as d', 'd.id', 'a.device_id')
        .leftJoin('session as s', (join) => join.onRef('s.id', '=', 'a.session_id').on('s.removed_at', 'is', null))
        .selectAll('a')
        .select(['d.name as device_name', 's.restore_point'])
        .select((select) =>
          select
            .selectFrom('session as g')
            .select((inner) => inner.fn.max<number | null>('g.restore_point').as('restore_point'))
            .whereRef('g.set_number', '=', 'a.set_number')
            .where('g.sequence', 'is not', null)
            .where('g.removed_at', 'is', null)
            .where((where) =>
              where(
                'g.restore_point',
                '<',
                where
                  .selectFrom('alarm as f')
                  .select((inner) => inner.fn.min('f.raised_at').as('raised_at'))
                  .whereRef('f.account_id', '=', 'a.account_id')
                  .whereRef('f.raised_at', '>=', 'r.held_at')
                  .whereRef('f.set_number', '=', 'a.set_number'),
              ),
            )
            .as('last_good'),
        )
        .where('a.account_id', '=', accountId)
        .whereRef('a.raised_at', '>=', 'r.held_at')
        .orderBy('a.raised_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(openAlarmOf);
    },
  };
}

interface OpenAlarmRow extends Selectable<AlarmTable> {
  readonly device_name: string;
  readonly restore_point: number | null;
  readonly last_good: number | null;
}

function openAlarmOf(row: OpenAlarmRow): OpenAlarm {
  const { device_name: deviceName, restore_point: point, last_good: good } = row;
  return { ...alarmOf(row), deviceName, restorePoint: point ?? undefined, lastGood: good ?? undefined };
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
