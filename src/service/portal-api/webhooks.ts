import type { PortalDeliveries, PortalDelivery, PortalWebhooks, WebhookSecret } from '../../protocol/portal.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { EventType } from '../../protocol/webhooks.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../problem.ts';
import { createSqlWebhookStore } from '../store/sql/webhooks.ts';
import type { DeliveryLog, WebhookStore } from '../store/webhook-store.ts';
import { addWebhook, removeWebhook, rotateSecret, sendAgain, setEnabled } from '../webhooks/administration.ts';

/** Deliveries that are listed at once. */
const SHOWN_DELIVERIES = 50;

/** The webhooks of one account, as its page shows and changes them. Throws what webhooks/administration.ts throws. */
export class PortalWebhookList {
  readonly #store: WebhookStore;
  readonly #now: () => number;
  readonly #accountId: string;

  constructor({ metadata, clock }: ServiceContext, accountId: string) {
    this.#store = createSqlWebhookStore(metadata.sql);
    this.#now = () => clock.now();
    this.#accountId = accountId;
  }

  async list(): Promise<PortalWebhooks> {
    const endpoints = await this.#store.list(this.#accountId, this.#now());
    return {
      webhooks: endpoints.map(({ id, url, events, createdAt, disabledAt }) => ({
        id,
        url,
        events: [...events],
        created: formatTimestamp(createdAt),
        disabled: timeOrNull(disabledAt),
      })),
    };
  }

  create(url: string, events: readonly EventType[]): Promise<WebhookSecret> {
    return addWebhook(this.#store, this.#accountId, { url, events }, this.#now());
  }

  rotate(id: string): Promise<WebhookSecret> {
    return rotateSecret(this.#store, this.#accountId, id, this.#now());
  }

  setEnabled(id: string, isEnabled: boolean): Promise<void> {
    return setEnabled(this.#store, this.#accountId, id, isEnabled, this.#now());
  }

  remove(id: string): Promise<void> {
    return removeWebhook(this.#store, this.#accountId, id);
  }

  /** The newest ones. */
  async deliveries(id: string): Promise<PortalDeliveries> {
    const endpoint = await this.#store.find(this.#accountId, id, this.#now());
    if (!endpoint) throw new ServiceProblem('not_found', { detail: 'no such webhook in this account' });
    const logged = await this.#store.deliveries(this.#accountId, { endpointId: id, limit: SHOWN_DELIVERIES });
    const deliveries: PortalDelivery[] = [];
    for (const { id: deliveryId } of logged) {
      const log = await this.#store.delivery(this.#accountId, deliveryId);
      if (log) deliveries.push(described(log));
    }
    return { deliveries };
  }

  async sendAgain(id: string, deliveryId: string): Promise<void> {
    const delivery = await this.#store.delivery(this.#accountId, deliveryId);
    if (delivery?.endpointId !== id)
      throw new ServiceProblem('not_found', { detail: 'no such delivery of this webhook' });
    await sendAgain(this.#store, this.#accountId, deliveryId, this.#now());
  }
}

function described(delivery: DeliveryLog): PortalDelivery {
  return {
    id: delivery.id,
    event: delivery.event,
    created: formatTimestamp(delivery.createdAt),
    attempts: delivery.attempts,
    state: delivery.state,
    next_attempt: timeOrNull(delivery.nextAttemptAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
    body: delivery.body,
  };
}

function timeOrNull(time: number | undefined): string | null {
  return time === undefined ? null : formatTimestamp(time);
}
