import type { Transaction } from 'kysely';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { WebhookBody } from '../../../protocol/webhooks.ts';
import { newIdentifier } from '../../identifier.ts';
import type { AccountEvent } from './account-event.ts';
import type { Tables } from './tables.ts';

/** Inserts a delivery for each enabled endpoint that subscribed to the event, in the transaction of the fact itself. */
export async function emitEvent(queries: Transaction<Tables>, event: AccountEvent): Promise<void> {
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

/** Returns the exact text that every attempt sends. */
function deliveryBody(id: string, { accountId, occurredAt, event }: AccountEvent): string {
  const body: WebhookBody = {
    event: event.event,
    timestamp: formatTimestamp(occurredAt),
    delivery_id: id,
    account_id: accountId,
    data: event.data,
  };
  return JSON.stringify(body);
}
