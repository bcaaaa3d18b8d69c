import { createDispatcher, type Dispatcher, type DispatcherClock, type DispatcherLog } from './dispatcher.ts';
import { createSender } from './sender.ts';
import type { WebhookOutbox } from '../store/webhooks/outbox.ts';

export interface WebhookDeliveryOptions {
  readonly outbox: WebhookOutbox;
  /** Lets deliveries go to addresses of the service's own network. */
  readonly allowPrivate: boolean;
  readonly clock: DispatcherClock;
  readonly log: DispatcherLog;
}

/** The delivery of a running service, not yet started. It has to be stopped before the database is closed. */
export function createWebhookDelivery({ outbox, allowPrivate, clock, log }: WebhookDeliveryOptions): Dispatcher {
  return createDispatcher({ outbox, send: createSender({ allowPrivate }), clock, log });
}
