import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import { DAY } from '../../model/units.ts';

/** One event for one endpoint. */
export interface Delivery {
  /** Stays the same for all attempts; the `delivery_id` of the body. */
  readonly id: string;
  readonly endpointId: string;
  readonly url: string;
  /** The valid secrets, newest first: two for a day after a rotation, otherwise one. */
  readonly secrets: readonly [string, ...string[]];
  readonly event: string;
  /** The JSON that was stored with the fact; every attempt sends these bytes in UTF-8. */
  readonly body: string;
  /** Start of the 24 hours of attempts: the event, or when it was sent again. Milliseconds since the epoch. */
  readonly triedFrom: number;
  /** Attempts since then, including this one. */
  readonly attempts: number;
  /** End of this process's exclusive right to send it, in milliseconds since the epoch. */
  readonly leasedUntil: number;
}

/** One attempt in the log. */
export interface AttemptRecord {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly url: string;
  /** The headers that were sent; the body is the delivery's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly outcome: AttemptOutcome;
}

export type AttemptOutcome =
  /** `answer` is the beginning of the response's body as text. */
  | { readonly kind: 'answered'; readonly status: number; readonly answer: string }
  /** There was no response, or nothing was sent; `reason` is an error code. */
  | { readonly kind: 'failed'; readonly reason: string };

export type Settlement =
  | { readonly kind: 'delivered'; readonly at: number; readonly status: number }
  | { readonly kind: 'retry'; readonly at: number; readonly failure: DeliveryFailure }
  | { readonly kind: 'given-up'; readonly failure: DeliveryFailure }
  /** The receiver is gone for good (410): the endpoint is disabled and its waiting deliveries are given up. */
  | { readonly kind: 'endpoint-gone'; readonly at: number; readonly failure: DeliveryFailure }
  /** The attempt was cancelled: it does not count, and the delivery is due immediately. */
  | { readonly kind: 'released'; readonly at: number };

export interface DeliveryFailure {
  /** The status of the response, if there was one. */
  readonly status?: number;
  readonly reason: string;
}

/** `switched-off`: the endpoint was disabled, since it has failed for too long. */
export type Settled = 'recorded' | 'switched-off';

/** Time in milliseconds for which an endpoint may fail before it is disabled. */
export const FAILING_LIMIT = 5 * DAY;

export interface ClaimRequest {
  readonly endpointId: string;
  readonly limit: number;
  readonly now: number;
  readonly leasedUntil: number;
}

/**
 * The deliveries, which are recorded in the same transaction as their facts. Several processes may share one outbox: a claimed
 * delivery is leased to one of them, and becomes due again when the lease expires, for instance because the process was killed.
 *
 * A delivery waits while `next_attempt_at` is set, and a lease moves that time into the future; it is NULL once the delivery is
 * delivered or given up.
 */
export class WebhookOutbox {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Returns enabled endpoints with at least one delivery due at `now`, the longest waiting first. */
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

  /**
   * Leases up to `limit` due deliveries of one endpoint, the longest waiting first, and counts an attempt of each. Uses one
   * statement: of two concurrent processes, the second sees the leases of the first.
   */
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

  /** Returns when the next delivery becomes due after `now`. */
  async nextDueAfter(now: number): Promise<number | undefined> {
    const row = await this.#database.queries
      .selectFrom('webhook_delivery')
      .select(({ fn }) => fn.min<number | null>('next_attempt_at').as('at'))
      .where('next_attempt_at', '>', now)
      .executeTakeFirst();
    return row?.at ?? undefined;
  }

  /**
   * Records the result of an attempt, and the attempt itself in the log. A failure counts only while the lease is unchanged; a
   * success always counts. Uses separate statements unless an endpoint is disabled: a crash in between only causes another attempt.
   */
  async settle(delivery: Delivery, settlement: Settlement, attempt: AttemptRecord | undefined): Promise<Settled> {
    if (attempt) await log(this.#database, delivery.id, attempt);
    const { endpointId } = delivery;
    switch (settlement.kind) {
      case 'endpoint-gone':
        await this.#database.transaction(async (transaction) => {
          await fail(transaction, delivery, settlement.failure, null);
          await switchOff(transaction, endpointId, 'gone', settlement.at);
        });
        return 'recorded';
      case 'delivered':
        await record(this.#database, delivery, settlement);
        await this.#recovered(endpointId);
        return 'recorded';
      case 'released':
        await record(this.#database, delivery, settlement);
        return 'recorded';
      case 'retry':
      case 'given-up':
        await record(this.#database, delivery, settlement);
        return this.#failed(endpointId, attempt?.startedAt ?? delivery.triedFrom, settlement.kind === 'given-up');
    }
  }

  async #recovered(endpointId: string): Promise<void> {
    await this.#database.queries
      .updateTable('webhook_endpoint')
      .set({ failing_since: null })
      .where('id', '=', endpointId)
      .where('failing_since', 'is not', null)
      .execute();
  }

  /** Disables an endpoint that has given up a delivery and has only failed for `FAILING_LIMIT`. */
  async #failed(endpointId: string, at: number, isGivenUp: boolean): Promise<Settled> {
    await this.#database.queries
      .updateTable('webhook_endpoint')
      .set({ failing_since: at })
      .where('id', '=', endpointId)
      .where('failing_since', 'is', null)
      .execute();
    if (!isGivenUp) return 'recorded';
    return this.#database.transaction(async (transaction) => {
      const failing = await transaction.queries
        .selectFrom('webhook_endpoint')
        .select('id')
        .where('id', '=', endpointId)
        .where('disabled_at', 'is', null)
        .where('failing_since', '<=', at - FAILING_LIMIT)
        .executeTakeFirst();
      if (!failing) return 'recorded';
      await switchOff(transaction, endpointId, 'failing', at);
      return 'switched-off';
    });
  }

  /** Deletes finished deliveries of events before `before` with their log, at most `limit` of them; returns their number. */
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
    // Two processes may record at once if one has lost its lease: one of the two rows is enough.
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

/** @param next the time of the next attempt; `null` for none */
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

async function switchOff(
  transaction: SqlTransaction,
  endpointId: string,
  because: 'gone' | 'failing',
  at: number,
): Promise<void> {
  await transaction.queries
    .updateTable('webhook_endpoint')
    .set({ disabled_at: at, disabled_because: because })
    .where('id', '=', endpointId)
    .where('disabled_at', 'is', null)
    .execute();
  await giveUpWaiting(transaction, endpointId);
}

/** Gives up the deliveries that wait for a disabled endpoint. */
export async function giveUpWaiting({ queries }: SqlTransaction, endpointId: string): Promise<void> {
  await queries
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: null, last_error: 'the endpoint is disabled' })
    .where('endpoint_id', '=', endpointId)
    .where('next_attempt_at', 'is not', null)
    .execute();
}
