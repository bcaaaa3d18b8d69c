import type { PortalDeliveries, PortalWebhooks, WebhookSecret } from '../../protocol/portal.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { EventType } from '../../protocol/webhooks.ts';
import type { ServiceContext } from '../context.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../problem.ts';
import { createSqlWebhookStore } from '../store/sql/webhooks.ts';
import type { LoggedDelivery, WebhookStore } from '../store/webhook-store.ts';
import { parseEndpointUrl } from '../webhooks/endpoint-url.ts';
import { createSigningSecret } from '../webhooks/signature.ts';

/** Milliseconds for which the secret before a new one stays good. */
const PREVIOUS_SECRET = 24 * 3_600_000;

/** Deliveries that are listed at once. */
const SHOWN_DELIVERIES = 50;

/** The webhooks of one account, as its page shows and changes them. Throws `not_found` and `unprocessable`. */
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

  async create(address: string, events: readonly EventType[]): Promise<WebhookSecret> {
    const endpoint = parseEndpointUrl(address);
    if (endpoint.kind === 'invalid') {
      throw new ServiceProblem('unprocessable', { detail: `the address is refused: ${endpoint.reason}` });
    }
    const added = { webhook_id: newIdentifier('whk'), signing_secret: createSigningSecret() };
    await this.#store.add({
      id: added.webhook_id,
      accountId: this.#accountId,
      url: endpoint.url.href,
      events: [...new Set(events)],
      secret: added.signing_secret,
      now: this.#now(),
    });
    return added;
  }

  async rotate(id: string): Promise<WebhookSecret> {
    const secret = createSigningSecret();
    requireThere(await this.#store.rotate(this.#accountId, id, secret, this.#now() + PREVIOUS_SECRET));
    return { webhook_id: id, signing_secret: secret };
  }

  async remove(id: string): Promise<void> {
    requireThere(await this.#store.remove(this.#accountId, id));
  }

  /** The newest ones. */
  async deliveries(id: string): Promise<PortalDeliveries> {
    requireThere((await this.#store.find(this.#accountId, id, this.#now())) !== undefined);
    const logged = await this.#store.deliveries(this.#accountId, { endpointId: id, limit: SHOWN_DELIVERIES });
    const deliveries = [];
    for (const delivery of logged) {
      const log = await this.#store.delivery(this.#accountId, delivery.id);
      if (log) deliveries.push({ ...described(delivery), body: log.body });
    }
    return { deliveries };
  }

  async sendAgain(id: string, deliveryId: string): Promise<void> {
    const delivery = await this.#store.delivery(this.#accountId, deliveryId);
    requireThere(delivery?.endpointId === id);
    const outcome = await this.#store.sendAgain(this.#accountId, deliveryId, this.#now());
    if (outcome === 'disabled') throw new ServiceProblem('conflict', { detail: 'the webhook is disabled' });
    requireThere(outcome === 'due');
  }
}

function described(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    event: delivery.event,
    created: formatTimestamp(delivery.createdAt),
    attempts: delivery.attempts,
    state: delivery.state,
    next_attempt: timeOrNull(delivery.nextAttemptAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
  };
}

function timeOrNull(time: number | undefined): string | null {
  return time === undefined ? null : formatTimestamp(time);
}

function requireThere(isThere: boolean): void {
  if (!isThere) throw new ServiceProblem('not_found', { detail: 'no such webhook or delivery in this account' });
}
