import type { Database } from 'better-sqlite3';
import type { EventSink } from './account-event.ts';
import { deliveriesOf } from './event-deliveries.ts';
import type { SubscribedEndpoint } from './event-deliveries.ts';

/** Writes a delivery for each endpoint that subscribed. To be called inside a transaction. */
export function createOutbox(database: Database): EventSink {
  const endpoints = database.prepare<[string], SubscribedEndpoint>(
    'SELECT id, events_json FROM webhook_endpoint WHERE account_id = ? AND disabled_at IS NULL',
  );
  const insert = database.prepare<[string, string, string, string, number, number]>(
    `INSERT INTO webhook_delivery (id, endpoint_id, event, body, created_at, next_attempt_at) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    emit(event) {
      for (const delivery of deliveriesOf(endpoints.all(event.accountId), event)) {
        const { id, endpoint_id, event: name, body, created_at, next_attempt_at } = delivery;
        insert.run(id, endpoint_id, name, body, created_at, next_attempt_at);
      }
    },
  };
}
