import type { Selectable } from 'kysely';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { WEBHOOK_TEST } from '../../protocol/webhooks.ts';
import { deliveryBody } from '../database/events.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Tables } from '../database/tables.ts';
import type { AttemptRecord } from './outbox.ts';

/** Deliveries of events from `from` up to `to`, in milliseconds since the epoch. */
export interface DeliveryRange {
  readonly from: number;
  readonly to: number;
  /** Only those that were given up. */
  readonly onlyGivenUp: boolean;
  readonly limit: number;
}

/** `waiting` for an attempt, `delivered`, or `given-up` after a day or because the endpoint was disabled. */
export type DeliveryState = 'waiting' | 'delivered' | 'given-up';

export interface LoggedDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly createdAt: number;
  readonly state: DeliveryState;
  /** Attempts since the event, or since it was last sent again. */
  readonly attempts: number;
  readonly nextAttemptAt: number | undefined;
  readonly deliveredAt: number | undefined;
  /** Result of the last attempt: the response's status, or why there was no response. */
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
}

export interface DeliveryLog extends LoggedDelivery {
  /** The exact text that every attempt sends. */
  readonly body: string;
  /** Oldest first. */
  readonly tries: readonly AttemptRecord[];
}

export interface DeliveryPage {
  /** Only deliveries to this endpoint. */
  readonly endpointId?: string;
  /** The last delivery of the previous page. */
  readonly after?: Pick<LoggedDelivery, 'createdAt' | 'id'>;
  readonly limit: number;
}

const LOGGED = [
  'delivery.id',
  'delivery.endpoint_id',
  'delivery.event',
  'delivery.created_at',
  'delivery.attempts',
  'delivery.next_attempt_at',
  'delivery.delivered_at',
  'delivery.last_status',
  'delivery.last_error',
] as const;

/** The log of deliveries, and sending them again. */
export function createDeliveryLog(database: SqlDatabase) {
  const select = ({ queries }: Pick<SqlDatabase, 'queries'>, accountId: string) =>
    queries
      .selectFrom('webhook_delivery as delivery')
      .innerJoin('webhook_endpoint as endpoint', 'endpoint.id', 'delivery.endpoint_id')
      .select(LOGGED)
      .where('endpoint.account_id', '=', accountId);

  return {
    /** Returns deliveries newest first. */
    deliveries: async (
      accountId: string,
      { endpointId, after, limit }: DeliveryPage,
    ): Promise<readonly LoggedDelivery[]> => {
      let query = select(database, accountId);
      if (endpointId !== undefined) query = query.where('delivery.endpoint_id', '=', endpointId);
      if (after !== undefined) {
        query = query.where((where) =>
          where.or([
            where('delivery.created_at', '<', after.createdAt),
            where.and([where('delivery.created_at', '=', after.createdAt), where('delivery.id', '<', after.id)]),
          ]),
        );
      }
      const rows = await query
        .orderBy('delivery.created_at', 'desc')
        .orderBy('delivery.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => deliveryOf(row));
    },
    delivery: async (accountId: string, id: string): Promise<DeliveryLog | undefined> => {
      const row = await select(database, accountId)
        .select('delivery.body')
        .where('delivery.id', '=', id)
        .executeTakeFirst();
      if (!row) return undefined;
      const tries = await database.queries
        .selectFrom('webhook_attempt')
        .selectAll()
        .where('delivery_id', '=', id)
        .orderBy('number')
        .execute();
      return { ...deliveryOf(row), body: row.body, tries: tries.map((attempt) => attemptOf(attempt)) };
    },
    /** Makes a delivery due immediately, with attempts for another day; returns `disabled` if its endpoint is. */
    sendAgain: async (accountId: string, id: string, now: number): Promise<'due' | 'disabled' | 'unknown'> =>
      database.transaction(async ({ queries }) => {
        const row = await queries
          .selectFrom('webhook_delivery as delivery')
          .innerJoin('webhook_endpoint as endpoint', 'endpoint.id', 'delivery.endpoint_id')
          .select('endpoint.disabled_at')
          .where('endpoint.account_id', '=', accountId)
          .where('delivery.id', '=', id)
          .executeTakeFirst();
        if (!row) return 'unknown';
        if (row.disabled_at !== null) return 'disabled';
        await queries
          .updateTable('webhook_delivery')
          .set({ next_attempt_at: now, sent_again_at: now, attempts: 0, delivered_at: null })
          .where('id', '=', id)
          .execute();
        return 'due';
      }),
    /** Makes the deliveries of a range due immediately, the oldest first; returns their number. */
    replay: async (
      accountId: string,
      endpointId: string,
      { from, to, onlyGivenUp, limit }: DeliveryRange,
      now: number,
    ): Promise<number | 'disabled' | 'unknown'> =>
      database.transaction(async ({ queries }) => {
        const state = await endpointState(queries, accountId, endpointId);
        if (state !== 'enabled') return state;
        const { numUpdatedRows } = await queries
          .updateTable('webhook_delivery')
          .set({ next_attempt_at: now, sent_again_at: now, attempts: 0, delivered_at: null })
          .where('id', 'in', (range) =>
            range
              .selectFrom('webhook_delivery')
              .select('id')
              .where('endpoint_id', '=', endpointId)
              .where('created_at', '>=', from)
              .where('created_at', '<=', to)
              .$if(onlyGivenUp, (query) => query.where('next_attempt_at', 'is', null).where('delivered_at', 'is', null))
              .orderBy('created_at')
              .limit(limit),
          )
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }),
    /** Adds a test delivery to one endpoint, whatever it subscribed to. */
    test: async (
      accountId: string,
      endpointId: string,
      deliveryId: string,
      now: number,
    ): Promise<'due' | 'disabled' | 'unknown'> =>
      database.transaction(async ({ queries }) => {
        const state = await endpointState(queries, accountId, endpointId);
        if (state !== 'enabled') return state;
        const event = { event: WEBHOOK_TEST, data: { webhook_id: endpointId, sent_at: formatTimestamp(now) } } as const;
        await queries
          .insertInto('webhook_delivery')
          .values({
            id: deliveryId,
            endpoint_id: endpointId,
            event: WEBHOOK_TEST,
            body: deliveryBody(deliveryId, { accountId, occurredAt: now, event }),
            created_at: now,
            next_attempt_at: now,
          })
          .execute();
        return 'due';
      }),
  };
}

async function endpointState(
  queries: SqlDatabase['queries'],
  accountId: string,
  id: string,
): Promise<'enabled' | 'disabled' | 'unknown'> {
  const row = await queries
    .selectFrom('webhook_endpoint')
    .select('disabled_at')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return 'unknown';
  return row.disabled_at === null ? 'enabled' : 'disabled';
}

type DeliveryRow = Omit<Selectable<Tables['webhook_delivery']>, 'body' | 'sent_again_at'>;

function deliveryOf(row: DeliveryRow): LoggedDelivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    event: row.event,
    createdAt: row.created_at,
    state: stateOf(row),
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    deliveredAt: row.delivered_at ?? undefined,
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}

function stateOf(row: Pick<DeliveryRow, 'next_attempt_at' | 'delivered_at'>): DeliveryState {
  if (row.delivered_at !== null) return 'delivered';
  return row.next_attempt_at === null ? 'given-up' : 'waiting';
}

function attemptOf(row: Selectable<Tables['webhook_attempt']>): AttemptRecord {
  return {
    startedAt: row.started_at,
    duration: row.duration,
    url: row.url,
    headers: JSON.parse(row.headers_json) as Readonly<Record<string, string>>,
    outcome:
      row.status === null
        ? { kind: 'failed', reason: row.error ?? '' }
        : { kind: 'answered', status: row.status, answer: row.answer ?? '' },
  };
}
