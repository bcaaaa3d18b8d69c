import type { Database } from 'better-sqlite3';
import type { DevicePermission } from '../../../protocol/auth.ts';
import type { EventSink } from '../../events.ts';
import type { DeviceStore, StoredDevice } from '../metadata-store.ts';

interface DeviceRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly os: string;
  readonly agent_version: string;
  readonly key_hash: Buffer;
  readonly permissions_json: string;
  readonly last_backup: number | null;
  readonly revoked_at: number | null;
}

export function createDeviceStore(database: Database, events: EventSink): DeviceStore {
  const insert = database.prepare<[string, string, string, string, string, Buffer, string, number]>(
    `INSERT INTO device (id, account_id, name, os, agent_version, key_hash, permissions_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const find = database.prepare<[string], DeviceRow>('SELECT * FROM device WHERE id = ?');
  const list = database.prepare<[string], DeviceRow>(
    'SELECT * FROM device WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, rowid',
  );
  const revoke = database.prepare<[number, string]>(
    'UPDATE device SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  );
  return {
    register: async (device, now, event) =>
      database
        .transaction(() => {
          const { id, accountId, name, os, agentVersion, keyHash } = device;
          const permissions = JSON.stringify(device.permissions);
          insert.run(id, accountId, name, os, agentVersion, keyHash, permissions, now);
          events.emit({ accountId: device.accountId, occurredAt: now, event });
        })
        .immediate(),
    find: async (id) => deviceOf(find.get(id)),
    list: async (accountId) => list.all(accountId).map((row) => deviceOf(row)!),
    revoke: async (id, now) => revoke.run(now, id).changes === 1,
  };
}

function deviceOf(row: DeviceRow | undefined): StoredDevice | undefined {
  if (!row) return undefined;
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
