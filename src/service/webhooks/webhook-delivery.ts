import { openMetadataDatabase } from '../store/sqlite/database.ts';
import { createDispatcher, type Dispatcher, type DispatcherClock, type DispatcherLog } from './dispatcher.ts';
import { createSender } from './sender.ts';
import { SqliteWebhookOutbox } from './sqlite-outbox.ts';

export interface WebhookDeliveryOptions {
  /** The metadata database. */
  readonly file: string;
  /** Lets deliveries go to addresses of the service's own network. */
  readonly allowPrivate: boolean;
  readonly clock: DispatcherClock;
  readonly log: DispatcherLog;
}

/**
 * The delivery of a running service, not yet started. It has a connection of its own, since one that is streaming rows
 * into an answer refuses other work meanwhile; `stop` closes it.
 */
export function openWebhookDelivery({ file, allowPrivate, clock, log }: WebhookDeliveryOptions): Dispatcher {
  const database = openMetadataDatabase(file);
  const outbox = new SqliteWebhookOutbox(database);
  const dispatcher = createDispatcher({ outbox, send: createSender({ allowPrivate }), clock, log });
  return {
    start: () => dispatcher.start(),
    wake: () => dispatcher.wake(),
    async stop() {
      await dispatcher.stop();
      database.close();
    },
  };
}
