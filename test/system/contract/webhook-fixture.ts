import type { EmittedEvent } from '../../../src/protocol/webhooks.ts';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';

export const ACCOUNT = 'acc_1';
export const OTHER_ACCOUNT = 'acc_2';

/** Two accounts, and the service's own operations on the endpoints of the first. */
export class WebhookFixture {
  readonly sql: SqlDatabase;

  private constructor(sql: SqlDatabase) {
    this.sql = sql;
  }

  static async of(sql: SqlDatabase): Promise<WebhookFixture> {
    const accounts = [ACCOUNT, OTHER_ACCOUNT].map((id) => ({ id, created_at: 0 }));
    await sql.queries.insertInto('account').values(accounts).execute();
    return new WebhookFixture(sql);
  }

  async addEndpoint(id: string, accountId = ACCOUNT, createdAt = 0): Promise<void> {
    await this.sql.queries
      .insertInto('webhook_endpoint')
      .values({
        id,
        account_id: accountId,
        url: `https://${id}.example/`,
        events_json: '[]',
        secret: 'whsec_test',
        created_at: createdAt,
      })
      .execute();
  }

  /** Emits `count` events, each of which creates a delivery for each enabled endpoint of the account. */
  async emit(occurredAt: number, count = 1, accountId = ACCOUNT): Promise<void> {
    const device = { device_id: 'dev_1', device_name: 'Laptop', os: 'linux', agent_version: '0.1.0' };
    const data = { ...device, registered_at: new Date(occurredAt).toISOString() };
    const event: EmittedEvent = { event: 'device.registered', data };
    await this.sql.transaction(async ({ emit }) => {
      for (let index = 0; index < count; index += 1) await emit({ accountId, occurredAt, event });
    });
  }

  async deliveries(endpointId?: string) {
    const query = this.sql.queries.selectFrom('webhook_delivery').selectAll().orderBy('created_at').orderBy('id');
    return (endpointId === undefined ? query : query.where('endpoint_id', '=', endpointId)).execute();
  }

  async disabledAt(endpointId: string): Promise<number | null> {
    const query = this.sql.queries.selectFrom('webhook_endpoint').select('disabled_at').where('id', '=', endpointId);
    return (await query.executeTakeFirstOrThrow()).disabled_at;
  }

  /** Returns the account's emitted events, oldest first; needs an endpoint. */
  async emitted(): Promise<readonly { readonly event: string; readonly data: unknown }[]> {
    const rows = await this.sql.queries.selectFrom('webhook_delivery').selectAll().orderBy('created_at').execute();
    return rows.map(({ event, body }) => ({ event, data: (JSON.parse(body) as { data: unknown }).data }));
  }
}
