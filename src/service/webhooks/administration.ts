import { eventType } from '../../protocol/webhooks.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { WebhookEndpoint, WebhookStore } from './webhook-store.ts';
import type { DeliveryRange } from './delivery-log-store.ts';
import { parseEndpointUrl } from './endpoint-url.ts';
import { createSigningSecret } from './signature.ts';
import { DAY } from '../../model/units.ts';

/** Time for which the previous secret stays valid after a rotation. */
const ROTATION_PERIOD = DAY;

/** Every event is delivered to each endpoint. */
const MOST_WEBHOOKS = 50;

export interface WebhookTarget {
  /** https or http, at most 2,048 characters, without credentials or fragment. */
  readonly url: string;
  /** Event types; an empty list means all, including those of later versions. */
  readonly events: readonly string[];
}

export interface ShownSecret {
  readonly webhook_id: string;
  /** Returned only here. */
  readonly signing_secret: string;
}

/**
 * Adds a webhook endpoint for future events. A private address is accepted here, since only the running
 * service knows whether it may send there.
 *
 * @throws ServiceProblem `unprocessable` (URL, event type), `conflict` (as many as an account may have)
 */
export async function addWebhook(
  webhooks: WebhookStore,
  accountId: string,
  target: WebhookTarget,
  now: number,
): Promise<ShownSecret> {
  const id = newIdentifier('whk');
  const secret = createSigningSecret();
  const endpoint = { id, accountId, ...checkedTarget(target), secret, now };
  if ((await webhooks.list(accountId, now)).length >= MOST_WEBHOOKS) {
    throw new ServiceProblem('conflict', { detail: `an account has at most ${MOST_WEBHOOKS} webhooks` });
  }
  await webhooks.add(endpoint);
  return { webhook_id: id, signing_secret: secret };
}

/** @throws ServiceProblem `unprocessable` (URL, event type), `not_found` */
export async function changeWebhook(
  webhooks: WebhookStore,
  accountId: string,
  id: string,
  target: WebhookTarget,
): Promise<void> {
  requireFound(await webhooks.change(accountId, id, checkedTarget(target)));
}

/**
 * Gives an endpoint a new secret; the previous one stays valid for a day.
 *
 * @throws ServiceProblem `not_found`
 */
export async function rotateSecret(
  webhooks: WebhookStore,
  accountId: string,
  id: string,
  now: number,
): Promise<ShownSecret> {
  const secret = createSigningSecret();
  requireFound(await webhooks.rotate(accountId, id, secret, now + ROTATION_PERIOD));
  return { webhook_id: id, signing_secret: secret };
}

/** @throws ServiceProblem `not_found` */
export async function setEnabled(
  webhooks: WebhookStore,
  accountId: string,
  id: string,
  enabled: boolean,
  now: number,
): Promise<void> {
  requireFound(enabled ? await webhooks.enable(accountId, id) : await webhooks.disable(accountId, id, now));
}

/** @throws ServiceProblem `not_found` */
export async function removeWebhook(webhooks: WebhookStore, accountId: string, id: string): Promise<void> {
  requireFound(await webhooks.remove(accountId, id));
}

/** @throws ServiceProblem `not_found` (delivery), `conflict` (its endpoint is disabled) */
export async function sendAgain(webhooks: WebhookStore, accountId: string, id: string, now: number): Promise<void> {
  const outcome = await webhooks.sendAgain(accountId, id, now);
  if (outcome === 'unknown') throw new ServiceProblem('not_found', { detail: 'no such delivery in this account' });
  if (outcome === 'disabled') throw new ServiceProblem('conflict', { detail: 'the webhook is disabled' });
}

/** Most deliveries of one replay. */
export const REPLAYED_AT_ONCE = 10_000;

/**
 * Makes the deliveries of events from `from` up to `to` due again, the oldest first; returns their number.
 *
 * @throws ServiceProblem `unprocessable` (the range ends before it begins), `not_found`, `conflict` (the endpoint is disabled)
 */
export async function replay(
  webhooks: WebhookStore,
  accountId: string,
  id: string,
  range: Pick<DeliveryRange, 'from' | 'to' | 'onlyGivenUp'>,
  now: number,
): Promise<number> {
  if (range.to < range.from) throw new ServiceProblem('unprocessable', { detail: 'the range ends before it begins' });
  const due = await webhooks.replay(accountId, id, { ...range, limit: REPLAYED_AT_ONCE }, now);
  if (typeof due === 'number') return due;
  throw cannotSend(due);
}

/**
 * Sends a test to one webhook, whatever it subscribed to. Returns the id of the delivery.
 *
 * @throws ServiceProblem `not_found`, `conflict` (the endpoint is disabled)
 */
export async function sendTest(webhooks: WebhookStore, accountId: string, id: string, now: number): Promise<string> {
  const delivery = newIdentifier('dlv');
  const outcome = await webhooks.test(accountId, id, delivery, now);
  if (outcome !== 'due') throw cannotSend(outcome);
  return delivery;
}

function cannotSend(why: 'disabled' | 'unknown'): ServiceProblem {
  return why === 'unknown'
    ? new ServiceProblem('not_found', { detail: 'no such webhook in this account' })
    : new ServiceProblem('conflict', { detail: 'the webhook is disabled' });
}

function checkedTarget({ url, events }: WebhookTarget): Pick<WebhookEndpoint, 'url' | 'events'> {
  return { url: readUrl(url), events: readEvents(events) };
}

function readUrl(text: string): string {
  const endpoint = parseEndpointUrl(text);
  if (endpoint.kind === 'valid') return endpoint.url.href;
  throw new ServiceProblem('unprocessable', { detail: `the webhook's URL is refused: ${endpoint.reason}` });
}

function readEvents(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (eventType.safeParse(name).success) continue;
    const known = eventType.options.join(', ');
    throw new ServiceProblem('unprocessable', {
      detail: `${JSON.stringify(name)} is no event type; there are ${known}`,
    });
  }
  return [...new Set(names)];
}

function requireFound(found: boolean): void {
  if (!found) throw new ServiceProblem('not_found', { detail: 'no such webhook in this account' });
}
