import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openSqliteDatabase, type SqliteDatabase } from '../../../../src/service/database/sqlite/sqlite-database.ts';
import { METADATA_FILE } from '../../../../src/service/database/sqlite/sqlite-connection.ts';

export interface DeliveryState {
  readonly id: string;
  readonly endpoint_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly next_attempt_at: number | null;
  readonly delivered_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

/** A store with one account in a separate folder, and the service's own operations on its outbox. */
export class OutboxStore implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'holdfast-webhooks-'));
  readonly sql: SqliteDatabase = openSqliteDatabase(join(this.directory, METADATA_FILE));
  readonly database: Database = this.sql.connection;

  constructor() {
    this.database.exec(`
      INSERT INTO account (id, created_at) VALUES ('acc_1', 0);
      INSERT INTO user (id, account_id, email, password_hash, role, created_at)
        VALUES ('usr_1', 'acc_1', 'anna@example.com', '', 'owner', 0);`);
  }

  addEndpoint(id: string, url = 'https://receiver.example/', events: readonly string[] = []): void {
    this.database
      .prepare(`INSERT INTO webhook_endpoint (id, account_id, url, events_json, secret, created_at)
        VALUES (?, 'acc_1', ?, ?, 'whsec_test', 0)`)
      .run(id, url, JSON.stringify(events));
  }

  /** Emits an event like the service. Each enabled endpoint gets one delivery. */
  async emit(occurredAt: number, count = 1): Promise<void> {
    const data = { device_id: 'dev_1', device_name: 'Laptop', os: 'linux', agent_version: '0.1.0' };
    const registered = { ...data, registered_at: new Date(occurredAt).toISOString() };
    await this.sql.transaction(async ({ emit }) => {
      for (let index = 0; index < count; index += 1) {
        await emit({ accountId: 'acc_1', occurredAt, event: { event: 'device.registered', data: registered } });
      }
    });
  }

  deliveries(): readonly DeliveryState[] {
    return this.database
      .prepare<[], DeliveryState>(`SELECT id, endpoint_id, body, attempts, next_attempt_at, delivered_at, last_status,
        last_error FROM webhook_delivery ORDER BY rowid`)
      .all();
  }

  disabledAt(endpointId: string): number | null {
    const read = this.database.prepare<[string], number | null>(
      'SELECT disabled_at FROM webhook_endpoint WHERE id = ?',
    );
    return read.pluck().get(endpointId) ?? null;
  }

  [Symbol.dispose](): void {
    this.database.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
