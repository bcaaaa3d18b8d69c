import { type Kysely, sql } from 'kysely';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import { type NewAuditEntry, addAuditEntry, previousDetails } from '../audit/audit-store.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Tables } from '../database/tables.ts';

/** The facts that a device's status is derived from. Times are milliseconds since the epoch. */
export interface DeviceActivity {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly os: string;
  readonly agentVersion: string;
  /** The user who registered it; `undefined` if none did. */
  readonly registeredBy: string | undefined;
  readonly registeredAt: number;
  readonly lastSeen: number;
  readonly lastBackup: number | undefined;
  /** When its last failed backup ended. */
  readonly lastFailure: number | undefined;
  /** When a run of it last looked like ransomware, since removals are held; `undefined` if they are not. */
  readonly lastAlarm: number | undefined;
  readonly revokedAt: number | undefined;
}

/** When devices were last seen. */
export function createDeviceActivityStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    /** Returns all devices, including revoked ones, in the order of their registration. */
    list: async (accountId: string): Promise<readonly DeviceActivity[]> => {
      const rows = await activities(queries).where('device.account_id', '=', accountId).execute();
      return rows.map(activityOf);
    },
    find: async (accountId: string, deviceId: string): Promise<DeviceActivity | undefined> => {
      const row = await activities(queries)
        .where('device.account_id', '=', accountId)
        .where('device.id', '=', deviceId)
        .executeTakeFirst();
      return row && activityOf(row);
    },
    /** Records that a device was seen, so that it is no longer offline. */
    seen: async (deviceId: string, now: number): Promise<void> => {
      await queries
        .insertInto('device_activity')
        .values({ device_id: deviceId, registered_by: null, last_seen: now, offline_since: null })
        .onConflict((conflict) => conflict.column('device_id').doUpdateSet({ last_seen: now, offline_since: null }))
        .execute();
    },
    rename: (accountId: string, deviceId: string, name: string, audit: NewAuditEntry): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const one = transaction.queries.selectFrom('device').select('name').where('id', '=', deviceId);
        const before = await one.executeTakeFirst();
        const renamed = await transaction.queries
          .updateTable('device')
          .set({ name })
          .where('id', '=', deviceId)
          .where('account_id', '=', accountId)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (!before || renamed.numUpdatedRows === 0n) return false;
        const details = { ...audit.details, ...previousDetails(before) };
        await addAuditEntry(transaction.queries, { ...audit, details });
        return true;
      }),
    registeredBy: async (deviceId: string): Promise<string | undefined> => {
      const one = queries.selectFrom('device_activity').select('registered_by').where('device_id', '=', deviceId);
      return (await one.executeTakeFirst())?.registered_by ?? undefined;
    },
    /**
     * Emits `event` for devices that were last seen before `before`, once for each absence. Returns their number, up to `limit`.
     */
    reportOffline: (
      { before, now, limit }: { before: number; now: number; limit: number },
      event: (device: DeviceActivity) => EmittedEvent,
    ): Promise<number> =>
      database.transaction(async (transaction) => {
        const rows = await activities(transaction.queries)
          .where('device.revoked_at', 'is', null)
          .where((check) =>
            check.or([
              check.and([
                check('device_activity.offline_since', 'is', null),
                check('device_activity.last_seen', '<', before),
              ]),
              check.and([check('device_activity.device_id', 'is', null), check('device.created_at', '<', before)]),
            ]),
          )
          .where((check) => check.or([check('last_backup', 'is', null), check('last_backup', '<', before)]))
          .limit(limit)
          .execute();
        for (const device of rows.map(activityOf)) {
          await transaction.queries
            .insertInto('device_activity')
            .values({
              device_id: device.id,
              registered_by: null,
              last_seen: device.lastSeen,
              offline_since: now,
            })
            .onConflict((conflict) => conflict.column('device_id').doUpdateSet({ offline_since: now }))
            .execute();
          await transaction.emit({ accountId: device.accountId, occurredAt: now, event: event(device) });
        }
        return rows.length;
      }),
  };
}

function activities(queries: Kysely<Tables>) {
  return queries
    .selectFrom('device')
    .leftJoin('device_activity', 'device_activity.device_id', 'device.id')
    .select([
      'device.id',
      'device.account_id',
      'device.name',
      'device.os',
      'device.agent_version',
      'device.created_at',
      'device.last_backup',
      'device.revoked_at',
      'device_activity.registered_by',
      'device_activity.last_seen',
    ])
    .select((select) =>
      select
        .selectFrom('session')
        .select((inner) => inner.fn.max<number | null>('ended_at').as('ended_at'))
        .whereRef('session.device_id', '=', 'device.id')
        // A literal, so that SQLite uses the index of failed sessions.
        .where('session.state', '=', sql.lit('failed'))
        .as('last_failure'),
    )
    .select((select) =>
      select
        .selectFrom('alarm')
        .innerJoin('retention_account', 'retention_account.account_id', 'alarm.account_id')
        .select((inner) => inner.fn.max<number | null>('alarm.raised_at').as('raised_at'))
        .whereRef('alarm.account_id', '=', 'device.account_id')
        .whereRef('alarm.raised_at', '>=', 'retention_account.held_at')
        .whereRef('alarm.device_id', '=', 'device.id')
        .as('last_alarm'),
    )
    .orderBy('device.created_at')
    .orderBy('device.id');
}

type ActivityRow = Awaited<ReturnType<ReturnType<typeof activities>['execute']>>[number];

function activityOf(row: ActivityRow): DeviceActivity {
  const registeredAt = row.created_at;
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    os: row.os,
    agentVersion: row.agent_version,
    registeredBy: row.registered_by ?? undefined,
    registeredAt,
    lastSeen: Math.max(row.last_seen ?? registeredAt, row.last_backup ?? 0),
    lastBackup: row.last_backup ?? undefined,
    lastFailure: row.last_failure ?? undefined,
    lastAlarm: row.last_alarm ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
