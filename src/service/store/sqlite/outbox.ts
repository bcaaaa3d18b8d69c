import type { Database } from 'better-sqlite3';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { WebhookBody } from '../../../protocol/webhooks.ts';
import type { AccountEvent, EventSink } from '../../events.ts';
import { newIdentifier } from '../../identifier.ts';

/**
 * Writes one `webhook_delivery` for each endpoint that subscribed, with the exact text that every try will send. To be
 * called inside a transaction.
 */
export function createOutbox(database: Database): EventSink {
  const endpoints = database.prepare<[string], { id: string; events_json: string }>(
    'SELECT id, events_json FROM webhook_endpoint WHERE account_id = ? AND disabled_at IS NULL',
  );
  const insert = database.prepare<[string, string, string, string, number, number]>(
    `INSERT INTO webhook_delivery (id, endpoint_id, event, body, created_at, next_attempt_at) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    emit(event) {
      for (const endpoint of endpoints.all(event.accountId)) {
        if (!subscribes(endpoint.events_json, event.event.event)) continue;
        const id = newIdentifier('dlv');
        insert.run(id, endpoint.id, event.event.event, bodyOf(id, event), event.occurredAt, event.occurredAt);
      }
    },
  };
}

function subscribes(eventsJson: string, event: string): boolean {
  const events = JSON.parse(eventsJson) as readonly string[];
  return events.length === 0 || events.includes(event);
}

function bodyOf(id: string, { accountId, occurredAt, event }: AccountEvent): string {
  const body: WebhookBody = {
    event: event.event,
    timestamp: formatTimestamp(occurredAt),
    delivery_id: id,
    account_id: accountId,
    data: event.data,
  };
  return JSON.stringify(body);
}
