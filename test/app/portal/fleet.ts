import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { METADATA_FILE } from '../../../src/service/database/sqlite/sqlite-connection.ts';
import type { PortalService } from './portal-service.ts';

const [DAY, HOUR] = [86_400_000, 3_600_000];
const SYSTEMS = ['Windows 11', 'macOS 15', 'Debian 13', 'Fedora 43'];
const PLACES = ['Reception', 'Accounting', 'Sales', 'Workshop', 'Design', 'Büro Zürich'];

/** Adds devices with three weeks of daily runs each, in the database itself. One in 40 is silent, one in 50 fails, one in 60 is new. */
export async function addFleet(service: PortalService, count: number): Promise<void> {
  const account = await service.accountId();
  const now = service.service.context.clock.now();
  const [owner] = await service.service.context.metadata.members.list(account);
  const database = new BetterSqlite(join(service.directory, METADATA_FILE));
  const device = database.prepare(
    'INSERT INTO device (id, account_id, name, os, agent_version, key_hash, permissions_json, created_at, last_backup) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const activity = database.prepare(
    'INSERT INTO device_activity (device_id, registered_by, last_seen, offline_since) VALUES (?, ?, ?, NULL)',
  );
  const set = database.prepare('INSERT INTO backup_set (account_id, device_id, name) VALUES (?, ?, ?)');
  const run = database.prepare(
    `INSERT INTO session (id, account_id, device_id, set_number, state, created_at, active_at, ended_at, failure, base, files, bytes, bytes_needed, sequence, backup_id, restore_point, storage_used, swept)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, 1)`,
  );
  database.transaction(() => {
    let sequence = 1_000_000;
    for (let index = 0; index < count; index += 1) {
      const id = `dev_fleet${String(index).padStart(6, '0')}`;
      const name = `${PLACES[index % PLACES.length]!} ${String(Math.floor(index / PLACES.length) + 1).padStart(3, '0')}`;
      const isNew = index % 60 === 59;
      const silence = index % 40 === 39 ? 12 * DAY : (index % 7) * HOUR;
      const last = isNew ? null : now - silence - HOUR;
      device.run(id, account, name, SYSTEMS[index % 4]!, '1.4.0', Buffer.alloc(1), '[]', now - 60 * DAY, last);
      activity.run(id, owner!.id, now - silence);
      if (isNew) {
        database.prepare('UPDATE device SET created_at = ? WHERE id = ?').run(now - HOUR, id);
        continue;
      }
      const { lastInsertRowid: number } = set.run(account, id, index % 3 === 0 ? 'Documents' : 'Home');
      const size = 2_000_000_000 + ((index * 7_919_000_003) % 90_000_000_000);
      for (let day = 20; day >= 0; day -= 1) {
        const end = last! - day * DAY;
        const isFailed = (index + day) % 50 === 49;
        sequence += 1;
        const point = isFailed ? [null, null, null, null] : [sequence, `bkp_${sequence}`, end, size];
        const state = isFailed
          ? ['failed', end - 300_000, end, end, 'aborted']
          : ['completed', end - 300_000, end, end, null];
        run.run(
          `ses_${sequence}`,
          account,
          id,
          number,
          ...state,
          40_000 + index,
          size,
          size / 200 - ((size / 200) % 1),
          ...point,
        );
      }
    }
  })();
  database.close();
}
