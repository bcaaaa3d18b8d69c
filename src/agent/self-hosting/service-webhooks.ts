import { resolve } from 'node:path';
import { asOperatorOf, type MetadataPlace } from '../../service/operator-access.ts';
import { createSqlWebhookStore } from '../../service/store/sql/webhooks.ts';
import type { DeliveryLog, LoggedDelivery, WebhookEndpoint, WebhookStore } from '../../service/store/webhook-store.ts';
import {
  addWebhook,
  changeWebhook,
  removeWebhook,
  rotateSecret,
  sendAgain,
  setEnabled,
  type ShownSecret,
  type WebhookTarget,
} from '../../service/webhooks/administration.ts';
import { wrongUsage } from '../failure.ts';
import { asServiceDataError } from './service-data-error.ts';

export type { DeliveryLog, LoggedDelivery, ShownSecret, WebhookEndpoint };

/** Whose webhooks, and where the service keeps them. */
export interface WebhookOwner extends MetadataPlace {
  readonly email: string;
}

/** What is shown of the log at once. */
const DELIVERIES_SHOWN = 50;

/** @throws HoldfastError `usage` where the account, the URL or an event is none */
export function addServiceWebhook(owner: WebhookOwner, target: WebhookTarget): Promise<ShownSecret> {
  return onWebhooks(owner, (webhooks, account) => addWebhook(webhooks, account, target, Date.now()));
}

/** @throws HoldfastError `usage` where the account is none */
export function listServiceWebhooks(owner: WebhookOwner): Promise<readonly WebhookEndpoint[]> {
  return onWebhooks(owner, (webhooks, account) => webhooks.list(account, Date.now()));
}

/** @throws HoldfastError `usage` where the account, the webhook, the URL or an event is none */
export function changeServiceWebhook(owner: WebhookOwner, id: string, target: WebhookTarget): Promise<void> {
  return onWebhooks(owner, (webhooks, account) => changeWebhook(webhooks, account, id, target));
}

/** @throws HoldfastError `usage` where the account or the webhook is none; so all that follow */
export function rotateServiceWebhook(owner: WebhookOwner, id: string): Promise<ShownSecret> {
  return onWebhooks(owner, (webhooks, account) => rotateSecret(webhooks, account, id, Date.now()));
}

export function enableServiceWebhook(owner: WebhookOwner, id: string, enabled: boolean): Promise<void> {
  return onWebhooks(owner, (webhooks, account) => setEnabled(webhooks, account, id, enabled, Date.now()));
}

export function removeServiceWebhook(owner: WebhookOwner, id: string): Promise<void> {
  return onWebhooks(owner, (webhooks, account) => removeWebhook(webhooks, account, id));
}

/** The newest, of one webhook or of all. */
export function listServiceDeliveries(owner: WebhookOwner, webhook?: string): Promise<readonly LoggedDelivery[]> {
  return onWebhooks(owner, (webhooks, account) =>
    webhooks.deliveries(account, {
      limit: DELIVERIES_SHOWN,
      ...(webhook === undefined ? {} : { endpointId: webhook }),
    }),
  );
}

export function readServiceDelivery(owner: WebhookOwner, id: string): Promise<DeliveryLog> {
  return onWebhooks(owner, async (webhooks, account) => {
    const delivery = await webhooks.delivery(account, id);
    if (!delivery) throw wrongUsage('service', { message: 'No such delivery in this account.' });
    return delivery;
  });
}

export function sendServiceDeliveryAgain(owner: WebhookOwner, id: string): Promise<void> {
  return onWebhooks(owner, (webhooks, account) => sendAgain(webhooks, account, id, Date.now()));
}

async function onWebhooks<Result>(
  { data, database, email }: WebhookOwner,
  work: (webhooks: WebhookStore, accountId: string) => Promise<Result>,
): Promise<Result> {
  try {
    const place = { data: resolve(data), database };
    return await asOperatorOf(place, email, ({ sql }, account) => work(createSqlWebhookStore(sql), account));
  } catch (error) {
    throw asServiceDataError(error);
  }
}
