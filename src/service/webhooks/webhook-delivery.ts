import type { SqlDatabase } from '../store/database/sql-database.ts';
import { createDispatcher, type Dispatcher, type DispatcherClock, type DispatcherLog } from './dispatcher.ts';
import { createSender } from './sender.ts';
import { SqlWebhookOutbox } from '../store/webhooks/sql-outbox.ts';

export interface WebhookDeliveryOptions {
  readonly database: SqlDatabase;
  /** Lets deliveries go to addresses of the service's own network. */
  readonly allowPrivate: boolean;
  readonly clock: DispatcherClock;
  readonly log: DispatcherLog;
}

/** The delivery of a running service, not yet started. It has to be stopped before the database is closed. */
export function createWebhookDelivery({ database, allowPrivate, clock, log }: WebhookDeliveryOptions): Dispatcher {
  const outbox = new SqlWebhookOutbox(database);
  return createDispatcher({ outbox, send: createSender({ allowPrivate }), clock, log });
}
