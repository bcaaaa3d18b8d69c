import type { AuditKind } from '../audit/audit-store.ts';
import type { MetadataStore } from '../metadata-store.ts';
import type { WebhookEndpoint, WebhookStore } from '../webhooks/webhook-store.ts';
import type { DeliveryLog, DeliveryRange, LoggedDelivery } from '../webhooks/delivery-log-store.ts';
import {
  addWebhook,
  changeWebhook,
  removeWebhook,
  replay,
  rotateSecret,
  sendAgain,
  sendTest,
  setEnabled,
  type ShownSecret,
  type WebhookTarget,
} from '../webhooks/administration.ts';
import { wrongUsage } from '../../base/errors/errors.ts';
import { onAccount, type AccountLocation } from './on-account.ts';

export type { DeliveryLog, LoggedDelivery, ShownSecret, WebhookEndpoint };

/** Maximum number of log entries shown. */
const DELIVERIES_SHOWN = 50;

/** @throws HoldfastError `usage` if the account, the URL or an event is invalid */
export function addServiceWebhook(owner: AccountLocation, target: WebhookTarget): Promise<ShownSecret> {
  return onWebhooks(owner, (webhooks, account) =>
    addWebhook(webhooks.audited('webhook.added', target.url), account, target, Date.now()),
  );
}

/** @throws HoldfastError `usage` if the account does not exist */
export function listServiceWebhooks(owner: AccountLocation): Promise<readonly WebhookEndpoint[]> {
  return onWebhooks(owner, ({ store }, account) => store.list(account, Date.now()));
}

/** @throws HoldfastError `usage` if the account, the webhook, the URL or an event is invalid */
export function changeServiceWebhook(owner: AccountLocation, id: string, target: WebhookTarget): Promise<void> {
  return onWebhooks(owner, (webhooks, account) =>
    changeWebhook(webhooks.audited('webhook.changed', target.url), account, id, target),
  );
}

/** @throws HoldfastError `usage` if the account or the webhook does not exist; the same for the functions below */
export function rotateServiceWebhook(owner: AccountLocation, id: string): Promise<ShownSecret> {
  return onWebhooks(owner, async (webhooks, account) =>
    rotateSecret(await webhooks.auditedOf('webhook.secret_changed', id), account, id, Date.now()),
  );
}

export function enableServiceWebhook(owner: AccountLocation, id: string, enabled: boolean): Promise<void> {
  const kind = enabled ? 'webhook.enabled' : 'webhook.disabled';
  return onWebhooks(owner, async (webhooks, account) =>
    setEnabled(await webhooks.auditedOf(kind, id), account, id, enabled, Date.now()),
  );
}

export function removeServiceWebhook(owner: AccountLocation, id: string): Promise<void> {
  return onWebhooks(owner, async (webhooks, account) =>
    removeWebhook(await webhooks.auditedOf('webhook.removed', id), account, id),
  );
}

/** Lists the newest deliveries of one webhook or of all. */
export function listServiceDeliveries(owner: AccountLocation, webhook?: string): Promise<readonly LoggedDelivery[]> {
  return onWebhooks(owner, ({ store }, account) =>
    store.deliveries(account, {
      limit: DELIVERIES_SHOWN,
      ...(webhook === undefined ? {} : { endpointId: webhook }),
    }),
  );
}

export function readServiceDelivery(owner: AccountLocation, id: string): Promise<DeliveryLog> {
  return onWebhooks(owner, async ({ store }, account) => {
    const delivery = await store.delivery(account, id);
    if (!delivery) throw wrongUsage({ problem: 'service', message: 'No such delivery in this account.' });
    return delivery;
  });
}

export function sendServiceDeliveryAgain(owner: AccountLocation, id: string): Promise<void> {
  return onWebhooks(owner, ({ store }, account) => sendAgain(store, account, id, Date.now()));
}

/** Sends a test; returns the id of its delivery. */
export function testServiceWebhook(owner: AccountLocation, id: string): Promise<string> {
  return onWebhooks(owner, ({ store }, account) => sendTest(store, account, id, Date.now()));
}

/** Makes the deliveries of a range due again; returns their number. */
export function replayServiceWebhook(
  owner: AccountLocation,
  id: string,
  range: Pick<DeliveryRange, 'from' | 'to' | 'onlyGivenUp'>,
): Promise<number> {
  return onWebhooks(owner, ({ store }, account) => replay(store, account, id, range, Date.now()));
}

function onWebhooks<Result>(
  owner: AccountLocation,
  work: (webhooks: ReturnType<typeof operatedWebhooks>, accountId: string) => Promise<Result>,
): Promise<Result> {
  return onAccount(owner, (metadata, account) => work(operatedWebhooks(metadata, account), account));
}

/** The webhooks of one account, and views of the same store that audit a change. */
function operatedWebhooks(metadata: MetadataStore, accountId: string) {
  const store = metadata.webhooks;
  const audited = (kind: AuditKind, url: string): WebhookStore =>
    metadata.audited({ accountId, kind, occurredAt: Date.now(), details: { url } }).webhooks;
  return {
    store,
    audited,
    auditedOf: async (kind: AuditKind, id: string): Promise<WebhookStore> =>
      audited(kind, (await store.find(accountId, id, Date.now()))?.url ?? ''),
  };
}
