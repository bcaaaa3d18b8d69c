import type {
  ChangeWebhookRequest,
  PortalDeliveries,
  PortalDelivery,
  PortalWebhooks,
  Replayed,
  ReplayRequest,
  WebhookSecret,
} from '../../protocol/portal/portal.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { auditEntry } from '../audit/audit.ts';
import type { ServiceContext } from '../context.ts';
import { timeOrNull } from '../stored-time.ts';
import { takePlace } from '../request/places.ts';
import { ServiceProblem } from '../request/problem.ts';
import { previousDetails, type AuditDetails, type AuditKind } from '../audit/audit-store.ts';
import type { User } from '../auth/account-store.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import type { DeliveryLog } from '../webhooks/delivery-log-store.ts';
import {
  type WebhookTarget,
  addWebhook,
  changeWebhook,
  removeWebhook,
  rotateSecret,
  replay,
  sendAgain,
  sendTest,
  setEnabled,
} from '../webhooks/administration.ts';
import { MINUTE } from '../../model/units.ts';

/** Maximum number of listed deliveries. */
const SHOWN_DELIVERIES = 50;

/** Tests of all webhooks of an account. */
const TESTS = { most: 10, period: MINUTE };

/** The webhooks of one account for the portal. Throws the errors of webhooks/administration.ts. */
export class PortalWebhookList {
  readonly #context: ServiceContext;
  readonly #store: WebhookStore;
  readonly #accountId: string;
  readonly #userId: string;

  constructor(context: ServiceContext, { accountId, id }: Pick<User, 'accountId' | 'id'>) {
    this.#context = context;
    this.#store = context.metadata.webhooks;
    this.#accountId = accountId;
    this.#userId = id;
  }

  async list(): Promise<PortalWebhooks> {
    const endpoints = await this.#store.list(this.#accountId, this.#now());
    return {
      webhooks: endpoints.map(({ id, url, events, createdAt, disabledAt, disabledBecause, failingSince }) => ({
        id,
        url,
        events: [...events],
        created: formatTimestamp(createdAt),
        disabled: timeOrNull(disabledAt),
        disabled_because: disabledBecause ?? null,
        failing_since: timeOrNull(failingSince),
      })),
    };
  }

  create(target: WebhookTarget): Promise<WebhookSecret> {
    return addWebhook(this.#audited('webhook.added', targetDetails(target)), this.#accountId, target, this.#now());
  }

  async change(id: string, to: ChangeWebhookRequest): Promise<void> {
    if ('enabled' in to) {
      const audited = await this.#auditedOf(id, to.enabled ? 'webhook.enabled' : 'webhook.disabled');
      return setEnabled(audited, this.#accountId, id, to.enabled, this.#now());
    }
    const before = await this.#store.find(this.#accountId, id, this.#now());
    const details = { ...targetDetails(to), ...(before ? previousDetails(targetDetails(before)) : {}) };
    return changeWebhook(this.#audited('webhook.changed', details), this.#accountId, id, to);
  }

  async rotate(id: string): Promise<WebhookSecret> {
    const audited = await this.#auditedOf(id, 'webhook.secret_changed');
    return rotateSecret(audited, this.#accountId, id, this.#now());
  }

  async remove(id: string): Promise<void> {
    return removeWebhook(await this.#auditedOf(id, 'webhook.removed'), this.#accountId, id);
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

  async test(id: string): Promise<{ readonly delivery_id: string }> {
    if ((await takePlace(this.#context, `webhook-test:${this.#accountId}`, TESTS)) === undefined) {
      throw new ServiceProblem('too_many_requests', { retryAfter: TESTS.period / 1000 });
    }
    return { delivery_id: await sendTest(this.#store, this.#accountId, id, this.#now()) };
  }

  async replay(id: string, { from, to, only_given_up: onlyGivenUp }: ReplayRequest): Promise<Replayed> {
    const range = { from: Date.parse(from), to: Date.parse(to), onlyGivenUp };
    return { deliveries: await replay(this.#store, this.#accountId, id, range, this.#now()) };
  }

  async sendAgain(id: string, deliveryId: string): Promise<void> {
    const delivery = await this.#store.delivery(this.#accountId, deliveryId);
    if (delivery?.endpointId !== id)
      throw new ServiceProblem('not_found', { detail: 'no such delivery of this webhook' });
    await sendAgain(this.#store, this.#accountId, deliveryId, this.#now());
  }

  /** Returns the store for one change together with its audit entry. */
  #audited(kind: AuditKind, details: AuditDetails): WebhookStore {
    const { metadata } = this.#context;
    const entry = { accountId: this.#accountId, userId: this.#userId, kind, details };
    return metadata.audited(auditEntry(this.#context, entry)).webhooks;
  }

  async #auditedOf(id: string, kind: AuditKind): Promise<WebhookStore> {
    const endpoint = await this.#store.find(this.#accountId, id, this.#now());
    return this.#audited(kind, { url: endpoint?.url ?? '' });
  }

  #now(): number {
    return this.#context.clock.now();
  }
}

/** Without `events` for all of them. */
function targetDetails({ url, events }: WebhookTarget): AuditDetails {
  return { url, ...(events.length === 0 ? {} : { events: events.join(', ') }) };
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
