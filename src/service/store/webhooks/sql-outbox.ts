import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import type { AttemptRecord, ClaimRequest, Delivery, DeliveryFailure, Settlement, WebhookOutbox } from './outbox.ts';

/**
 * The outbox in the service's database. A delivery waits while `next_attempt_at` is a time, and a lease is that time put
 * into the future; it is NULL once the delivery is done, delivered or given up.
 */
export class SqlWebhookOutbox implements WebhookOutbox {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async dueEndpoints(now: number): Promise<readonly string[]> {
    const { queries } = this.#database;
    const rows = await queries
      .selectFrom('webhook_endpoint as endpoint')
      .innerJoin(
        (waiting) =>
          waiting
            .selectFrom('webhook_delivery')
            .select(({ fn }) => ['endpoint_id', fn.min<number>('next_attempt_at').as('at')])
            .where('next_attempt_at', '<=', now)
            .groupBy('endpoint_id')
            .as('due'),
        (join) => join.onRef('due.endpoint_id', '=', 'endpoint.id'),
      )
      .select('endpoint.id')
      .where('endpoint.disabled_at', 'is', null)
      .orderBy('due.at')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** One statement: of two processes that come together, the second sees what the first has put into the future. */
  async claim({ endpointId, limit, now, leasedUntil }: ClaimRequest): Promise<readonly Delivery[]> {
    const { queries } = this.#database;
    const endpoint = await queries
      .selectFrom('webhook_endpoint')
      .select(['url', 'secret', 'previous_secret', 'previous_secret_until'])
      .where('id', '=', endpointId)
      .where('disabled_at', 'is', null)
      .executeTakeFirst();
    if (!endpoint) return [];
    const { url, secret, previous_secret: previous, previous_secret_until: until } = endpoint;
    const secrets: Delivery['secrets'] =
      previous !== null && until !== null && until > now ? [secret, previous] : [secret];
    const rows = await queries
      .updateTable('webhook_delivery')
      .set(({ eb }) => ({ next_attempt_at: leasedUntil, attempts: eb('attempts', '+', 1) }))
      .where('id', 'in', (due) =>
        due
          .selectFrom('webhook_delivery')
          .select('id')
          .where('endpoint_id', '=', endpointId)
          .where('next_attempt_at', '<=', now)
          .orderBy('next_attempt_at')
          .limit(limit),
      )
      .where('next_attempt_at', '<=', now)
      .returning(['id', 'event', 'body', 'created_at', 'sent_again_at', 'attempts'])
      .execute();
    return rows.map(({ id, event, body, created_at: createdAt, sent_again_at: sentAgainAt, attempts }) => {
      return { id, endpointId, url, secrets, event, body, triedFrom: sentAgainAt ?? createdAt, attempts, leasedUntil };
    });
  }

  async nextDueAfter(now: number): Promise<number | undefined> {
    const row = await this.#database.queries
      .selectFrom('webhook_delivery')
      .select(({ fn }) => fn.min<number | null>('next_attempt_at').as('at'))
      .where('next_attempt_at', '>', now)
      .executeTakeFirst();
    return row?.at ?? undefined;
  }

  /**
   * In statements of their own but where an endpoint is disabled: what a crash undoes or leaves undone in between is a try
   * that is repeated.
   */
  async settle(delivery: Delivery, settlement: Settlement, attempt: AttemptRecord | undefined): Promise<void> {
    if (attempt) await log(this.#database, delivery.id, attempt);
    if (settlement.kind !== 'endpoint-gone') return record(this.#database, delivery, settlement);
    await this.#database.transaction(async (transaction) => {
      await fail(transaction, delivery, settlement.failure, null);
      await transaction.queries
        .updateTable('webhook_endpoint')
        .set({ disabled_at: settlement.at })
        .where('id', '=', delivery.endpointId)
        .where('disabled_at', 'is', null)
        .execute();
      await giveUpWaiting(transaction, delivery.endpointId);
    });
  }

  async prune(before: number, limit: number): Promise<number> {
    return this.#database.transaction(async ({ queries }) => {
      const old = await queries
        .selectFrom('webhook_delivery')
        .select('id')
        .where('next_attempt_at', 'is', null)
        .where('created_at', '<', before)
        .where((where) => where.or([where('sent_again_at', 'is', null), where('sent_again_at', '<', before)]))
        .orderBy('created_at')
        .limit(limit)
        .execute();
      const ids = old.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await queries.deleteFrom('webhook_attempt').where('delivery_id', 'in', ids).execute();
      await queries.deleteFrom('webhook_delivery').where('id', 'in', ids).execute();
      return ids.length;
    });
  }
}

type Queries = Pick<SqlDatabase, 'queries'>;

async function log({ queries }: Queries, deliveryId: string, attempt: AttemptRecord): Promise<void> {
  const { startedAt, duration, url, headers, outcome } = attempt;
  await queries
    .insertInto('webhook_attempt')
    .values({
      delivery_id: deliveryId,
      number: (before) =>
        before
          .selectFrom('webhook_attempt')
          .select(({ eb, fn }) => eb(fn.count<number>('number'), '+', 1).as('number'))
          .where('delivery_id', '=', deliveryId),
      started_at: startedAt,
      duration,
      url,
      headers_json: JSON.stringify(headers),
      status: outcome.kind === 'answered' ? outcome.status : null,
      answer: outcome.kind === 'answered' ? outcome.answer : null,
      error: outcome.kind === 'failed' ? outcome.reason : null,
    })
    // Two processes at once, of which one has lost its lease: one line of the two is enough.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function record(
  database: Queries,
  delivery: Delivery,
  settlement: Exclude<Settlement, { readonly kind: 'endpoint-gone' }>,
): Promise<void> {
  switch (settlement.kind) {
    case 'delivered':
      await database.queries
        .updateTable('webhook_delivery')
        .set({ next_attempt_at: null, delivered_at: settlement.at, last_status: settlement.status, last_error: null })
        .where('id', '=', delivery.id)
        .where('delivered_at', 'is', null)
        .execute();
      return;
    case 'retry':
      return fail(database, delivery, settlement.failure, settlement.at);
    case 'given-up':
      return fail(database, delivery, settlement.failure, null);
    case 'released':
      await database.queries
        .updateTable('webhook_delivery')
        .set(({ eb }) => ({ next_attempt_at: settlement.at, attempts: eb('attempts', '-', 1) }))
        .where('id', '=', delivery.id)
        .where('next_attempt_at', '=', delivery.leasedUntil)
        .execute();
  }
}

/** @param next when to try again; nothing where that is over */
async function fail(
  { queries }: Queries,
  { id, leasedUntil }: Delivery,
  { status, reason }: DeliveryFailure,
  next: number | null,
): Promise<void> {
  await queries
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: next, last_status: status ?? null, last_error: reason })
    .where('id', '=', id)
    .where('next_attempt_at', '=', leasedUntil)
    .execute();
}

/** What still waits for an endpoint that is disabled. */
export async function giveUpWaiting({ queries }: SqlTransaction, endpointId: string): Promise<void> {
  await queries
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: null, last_error: 'the endpoint is disabled' })
    .where('endpoint_id', '=', endpointId)
    .where('next_attempt_at', 'is not', null)
    .execute();
}
