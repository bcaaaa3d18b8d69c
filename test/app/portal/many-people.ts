import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { METADATA_FILE } from '../../../src/service/database/sqlite/sqlite-connection.ts';
import type { PortalService } from './portal-service.ts';

const [DAY, HOUR] = [86_400_000, 3_600_000];

/**
 * Adds members who joined on different days, with an audit entry each, in the database itself. One in ten was last active long ago, one
 * in 30 is an admin.
 */
export async function addPeople(service: PortalService, count: number): Promise<void> {
  const account = await service.accountId();
  const now = service.service.context.clock.now();
  const database = new BetterSqlite(join(service.directory, METADATA_FILE));
  const user = database.prepare(
    `INSERT INTO "user" (id, account_id, email, password_hash, role, created_at, active_at) VALUES (?, ?, ?, '', ?, ?, ?)`,
  );
  const entry = database.prepare(
    `INSERT INTO audit_entry (id, account_id, occurred_at, kind, user_id, device_id, address, details_json)
     VALUES (?, ?, ?, 'member.joined', ?, NULL, '192.0.2.7', '{"role":"member"}')`,
  );
  database.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const number = String(index).padStart(3, '0');
      const joined = now - (index % 300) * DAY - 60 * DAY;
      const active = index % 10 === 9 ? now - 40 * DAY : now - (index % 25) * DAY - HOUR;
      const role = index % 30 === 29 ? 'admin' : 'member';
      user.run(`usr_many${number}`, account, `person ${number}@example.org`, role, joined, active);
      entry.run(`aud_many${number}`, account, joined, `usr_many${number}`);
    }
  })();
  database.close();
}
