import { Dispatcher, type DispatcherClock, type DispatcherLog } from './dispatcher.ts';
import { createSender } from './sender.ts';
import type { WebhookOutbox } from './outbox.ts';

export interface WebhookDeliveryOptions {
  readonly outbox: WebhookOutbox;
  /** Permits deliveries to private addresses. */
  readonly allowPrivate: boolean;
  readonly clock: DispatcherClock;
  readonly log: DispatcherLog;
}

/** Creates the delivery of a running service, not yet started. Stop it before closing the database. */
export function createWebhookDelivery({ outbox, allowPrivate, clock, log }: WebhookDeliveryOptions): Dispatcher {
  return new Dispatcher({ outbox, send: createSender({ allowPrivate }), clock, log });
}
