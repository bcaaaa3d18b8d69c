import type { Selectable } from 'kysely';
import type { DevicePermission } from '../../protocol/auth.ts';
import { addAuditEntry, type NewAuditEntry } from '../audit/audit-store.ts';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { DeviceTable } from '../database/tables.ts';

export interface StoredDevice {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly os: string;
  readonly agentVersion: string;
  readonly keyHash: Buffer;
  readonly permissions: readonly DevicePermission[];
  readonly lastBackup: number | undefined;
  readonly revokedAt: number | undefined;
}

export interface DeviceRegistration {
  /** The id of a user; `undefined` if none did. */
  readonly by: string | undefined;
  readonly audit: NewAuditEntry;
}

export type DeviceStore = ReturnType<typeof createDeviceStore>;

export function createDeviceStore({ queries, transaction }: SqlDatabase) {
  return {
    /** @param registration recorded in the same transaction */
    register: (
      device: StoredDevice,
      now: number,
      event: EmittedEvent,
      registration?: DeviceRegistration,
    ): Promise<void> =>
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
    find: async (id: string): Promise<StoredDevice | undefined> => {
      const row = await queries.selectFrom('device').selectAll().where('id', '=', id).executeTakeFirst();
      return row && deviceOf(row);
    },
    /** Returns false if there is no such device, or it was revoked before. */
    revoke: (id: string, now: number, audit?: NewAuditEntry): Promise<boolean> =>
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
