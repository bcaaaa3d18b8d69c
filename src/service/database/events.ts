import type { Transaction, TransactionBuilder } from 'kysely';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { WEBHOOK_TEST, WebhookBody } from '../../protocol/webhooks.ts';
import { newIdentifier } from '../identifier.ts';
import type { SqlDialect } from './schema/column-types.ts';
import type { AccountEvent } from './account-event.ts';
import type { SqlTransaction } from './sql-database.ts';
import type { Tables } from './tables.ts';

/**
 * Runs `work` in a transaction that can record events.
 *
 * @param onEvents called after the commit if events were recorded
 */
export async function runWithEvents<Result>(
  dialect: SqlDialect,
  transaction: TransactionBuilder<Tables>,
  work: (transaction: SqlTransaction) => Promise<Result>,
  onEvents: () => void,
): Promise<Result> {
  let emitted = false;
  const result = await transaction.execute((queries) =>
    work({
      dialect,
      queries,
      emit: async (event) => {
        emitted = true;
        await emitEvent(queries, event);
      },
    }),
  );
  if (emitted) onEvents();
  return result;
}

/** Inserts a delivery for each enabled endpoint that subscribed to the event, in the transaction of the fact itself. */
async function emitEvent(queries: Transaction<Tables>, event: AccountEvent): Promise<void> {
  const endpoints = await queries
    .selectFrom('webhook_endpoint')
    .select(['id', 'events_json'])
    .where('account_id', '=', event.accountId)
    .where('disabled_at', 'is', null)
    .execute();
  const name = event.event.event;
  const deliveries = endpoints
    .filter(({ events_json: eventsJson }) => isSubscribed(eventsJson, name))
    .map((endpoint) => {
      const id = newIdentifier('dlv');
      return {
        id,
        endpoint_id: endpoint.id,
        event: name,
        body: deliveryBody(id, event),
        created_at: event.occurredAt,
        next_attempt_at: event.occurredAt,
      };
    });
  if (deliveries.length > 0) await queries.insertInto('webhook_delivery').values(deliveries).execute();
}

/** An empty list of event types subscribes to all of them. */
function isSubscribed(eventsJson: string, event: string): boolean {
  const events = JSON.parse(eventsJson) as readonly string[];
  return events.length === 0 || events.includes(event);
}

/** An event of the account, or a test. */
type DeliveredEvent = Omit<AccountEvent, 'event'> & {
  readonly event: { readonly event: WebhookBody['event'] | typeof WEBHOOK_TEST; readonly data: WebhookBody['data'] };
};

/** Returns the exact text that every attempt sends. */
export function deliveryBody(id: string, { accountId, occurredAt, event }: DeliveredEvent): string {
  const body: Omit<WebhookBody, 'event'> & { readonly event: string } = {
    event: event.event,
    timestamp: formatTimestamp(occurredAt),
    delivery_id: id,
    account_id: accountId,
    data: event.data,
  };
  return JSON.stringify(body);
}
