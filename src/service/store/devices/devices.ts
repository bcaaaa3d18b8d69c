import type { Selectable } from 'kysely';
import type { DevicePermission } from '../../../protocol/auth.ts';
import type { DeviceStore, StoredDevice } from '../metadata-store.ts';
import { addAuditEntry } from '../audit/audit.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { DeviceTable } from '../database/tables.ts';

export function createSqlDeviceStore({ queries, transaction }: SqlDatabase): DeviceStore {
  return {
    register: (device, now, event, registration) =>
      transaction(async (inside) => {
        await inside.queries
          .insertInto('device')
          .values({
            id: device.id,
            account_id: device.accountId,
            name: device.name,
            os: device.os,
            agent_version: device.agentVersion,
            key_hash: device.keyHash,
            permissions_json: JSON.stringify(device.permissions),
            created_at: now,
          })
          .execute();
        await inside.emit({ accountId: device.accountId, occurredAt: now, event });
        if (!registration) return;
        await inside.queries
          .insertInto('device_activity')
          .values({ device_id: device.id, registered_by: registration.by ?? null, last_seen: now, offline_since: null })
          .execute();
        await addAuditEntry(inside.queries, registration.audit);
      }),
    find: async (id) => {
      const row = await queries.selectFrom('device').selectAll().where('id', '=', id).executeTakeFirst();
      return row && deviceOf(row);
    },
    list: async (accountId) => {
      const rows = await queries
        .selectFrom('device')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(deviceOf);
    },
    revoke: (id, now, audit) =>
      transaction(async (inside) => {
        const { numUpdatedRows } = await inside.queries
          .updateTable('device')
          .set({ revoked_at: now })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        if (audit) await addAuditEntry(inside.queries, audit);
        return true;
      }),
  };
}

function deviceOf(row: Selectable<DeviceTable>): StoredDevice {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    os: row.os,
    agentVersion: row.agent_version,
    keyHash: row.key_hash,
    permissions: JSON.parse(row.permissions_json) as readonly DevicePermission[],
    lastBackup: row.last_backup ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
