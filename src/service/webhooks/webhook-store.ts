import type { Selectable } from 'kysely';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import type { WebhookEndpointTable } from '../database/tables.ts';
import { createDeliveryLog } from './delivery-log-store.ts';
import { giveUpWaiting } from './outbox.ts';

/** A receiver of an account's events. Its secrets are stored but never returned. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** An empty list means all event types, including those of later versions. */
  readonly events: readonly string[];
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
  /** Why the service itself disabled it; `undefined` if a person did. */
  readonly disabledBecause: 'gone' | 'failing' | undefined;
  /** The first failed attempt since the last delivery that succeeded. */
  readonly failingSince: number | undefined;
  /** When the secret before the last rotation expires; `undefined` once it has. */
  readonly previousSecretUntil: number | undefined;
}

export interface NewWebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly now: number;
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** Endpoints and the log of deliveries, each within one account. Times are milliseconds since the epoch. */
export function createWebhookStore(database: SqlDatabase) {
  return { ...createEndpoints(database), ...createDeliveryLog(database) };
}

function createEndpoints(database: SqlDatabase) {
  const select = (accountId: string) =>
    database.queries.selectFrom('webhook_endpoint').selectAll().where('account_id', '=', accountId);
  const update = async (accountId: string, id: string, to: Partial<Selectable<WebhookEndpointTable>>) =>
    database.transaction(async (transaction) => updateEndpoint(transaction, accountId, id, to));

  return {
    add: async ({ id, accountId, url, events, secret, now }: NewWebhookEndpoint): Promise<void> => {
      await database.transaction(async ({ queries }) => {
        await queries
          .insertInto('webhook_endpoint')
          .values({ id, account_id: accountId, url, events_json: JSON.stringify(events), secret, created_at: now })
          .execute();
      });
    },
    /** Returns endpoints in the order in which they were added. */
    list: async (accountId: string, now: number): Promise<readonly WebhookEndpoint[]> => {
      const rows = await select(accountId).orderBy('created_at').orderBy('id').execute();
      return rows.map((row) => endpointOf(row, now));
    },
    find: async (accountId: string, id: string, now: number): Promise<WebhookEndpoint | undefined> => {
      const row = await select(accountId).where('id', '=', id).executeTakeFirst();
      return row && endpointOf(row, now);
    },
    /** Returns false if there is no such endpoint; so do the methods below. */
    change: async (
      accountId: string,
      id: string,
      { url, events }: Pick<WebhookEndpoint, 'url' | 'events'>,
    ): Promise<boolean> => update(accountId, id, { url, events_json: JSON.stringify(events) }),
    /** Replaces the secret, which stays valid until `previousUntil`; an earlier one becomes invalid. */
    rotate: async (accountId: string, id: string, secret: string, previousUntil: number): Promise<boolean> =>
      database.transaction(async ({ queries }) => {
        const { numUpdatedRows } = await queries
          .updateTable('webhook_endpoint')
          .set((row) => ({ previous_secret: row.ref('secret'), previous_secret_until: previousUntil, secret }))
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
    enable: async (accountId: string, id: string): Promise<boolean> =>
      update(accountId, id, { disabled_at: null, disabled_because: null, failing_since: null }),
    /** Gives its waiting deliveries up. */
    disable: async (accountId: string, id: string, now: number): Promise<boolean> =>
      database.transaction(async (transaction) => {
        if (!(await updateEndpoint(transaction, accountId, id, { disabled_at: now, disabled_because: null })))
          return false;
        await giveUpWaiting(transaction, id);
        return true;
      }),
    /** Also deletes the log of its deliveries. */
    remove: async (accountId: string, id: string): Promise<boolean> =>
      database.transaction(async ({ queries }) => {
        const endpoint = await queries
          .selectFrom('webhook_endpoint')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!endpoint) return false;
        await queries
          .deleteFrom('webhook_attempt')
          .where('delivery_id', 'in', (of) =>
            of.selectFrom('webhook_delivery').select('id').where('endpoint_id', '=', id),
          )
          .execute();
        await queries.deleteFrom('webhook_delivery').where('endpoint_id', '=', id).execute();
        await queries.deleteFrom('webhook_endpoint').where('id', '=', id).execute();
        return true;
      }),
  };
}

async function updateEndpoint(
  { queries }: SqlTransaction,
  accountId: string,
  id: string,
  to: Partial<Selectable<WebhookEndpointTable>>,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('webhook_endpoint')
    .set(to)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function endpointOf(row: Selectable<WebhookEndpointTable>, now: number): WebhookEndpoint {
  const until = row.previous_secret_until;
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    events: JSON.parse(row.events_json) as readonly string[],
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
    disabledBecause:
      row.disabled_because === 'gone' || row.disabled_because === 'failing' ? row.disabled_because : undefined,
    failingSince: row.failing_since ?? undefined,
    previousSecretUntil: until !== null && until > now ? until : undefined,
  };
}
