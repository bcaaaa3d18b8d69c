import type {
  DeliveryLog,
  LoggedDelivery,
  ShownSecret,
  WebhookEndpoint,
} from '../../../service/administration/service-webhooks.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import { alignColumns } from '../../columns.ts';
import { durationText, printable, timeText } from '../../text.ts';

/** Shows a signing secret for the only time. */
export function secretOutcome(shown: ShownSecret, advice: string): Outcome {
  return outcome(shown, [
    ...alignColumns([
      ['Webhook', shown.webhook_id],
      ['Signing secret', shown.signing_secret],
    ]),
    '',
    advice,
  ]);
}

export function webhooksOutcome(webhooks: readonly WebhookEndpoint[]): Outcome {
  return outcome({ webhooks: webhooks.map(webhookJson) }, webhookLines(webhooks));
}

export function deliveriesOutcome(deliveries: readonly LoggedDelivery[]): Outcome {
  return outcome({ deliveries: deliveries.map(deliveryJson) }, deliveryLines(deliveries));
}

/** Shows a delivery with its attempts. */
export function deliveryOutcome(delivery: DeliveryLog): Outcome {
  return outcome(logJson(delivery), logLines(delivery));
}

function webhookJson(webhook: WebhookEndpoint): object {
  const { id, url, events, createdAt, disabledAt, previousSecretUntil } = webhook;
  return {
    webhook_id: id,
    url,
    events,
    created: isoOf(createdAt),
    disabled: isoOf(disabledAt),
    disabled_because: webhook.disabledBecause ?? null,
    failing_since: isoOf(webhook.failingSince),
    previous_secret_until: isoOf(previousSecretUntil),
  };
}

function webhookLines(webhooks: readonly WebhookEndpoint[]): string[] {
  if (webhooks.length === 0) return ['There is no webhook.'];
  return alignColumns(
    webhooks.map(({ id, url, events, disabledAt, disabledBecause, failingSince }) => [
      id,
      disabledAt === undefined
        ? failingSince === undefined
          ? 'enabled'
          : 'failing'
        : disabledBecause === undefined
          ? 'disabled'
          : `disabled (${disabledBecause})`,
      events.length === 0 ? 'all events' : events.join(','),
      printable(url),
    ]),
  );
}

function deliveryJson(delivery: LoggedDelivery): object {
  const { id, endpointId, event, createdAt, state, attempts } = delivery;
  return {
    delivery_id: id,
    webhook_id: endpointId,
    event,
    created: isoOf(createdAt),
    state,
    attempts,
    next_attempt: isoOf(delivery.nextAttemptAt),
    delivered: isoOf(delivery.deliveredAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
  };
}

function deliveryLines(deliveries: readonly LoggedDelivery[]): string[] {
  if (deliveries.length === 0) return ['Nothing was sent.'];
  return alignColumns(deliveries.map((delivery) => deliveryRow(delivery)));
}

function deliveryRow({ id, event, createdAt, state, attempts, lastError }: LoggedDelivery): string[] {
  const last = lastError === undefined ? '' : printable(lastError);
  return [id, timeText(createdAt), event, state, `${attempts} tries`, last];
}

function logJson(delivery: DeliveryLog): object {
  const tries = delivery.tries.map(({ startedAt, duration, url, headers, outcome: result }) => ({
    started: isoOf(startedAt),
    duration_ms: duration,
    request: { url, headers },
    ...(result.kind === 'answered'
      ? { answer: { status: result.status, body: result.answer }, error: null }
      : { answer: null, error: result.reason }),
  }));
  return { ...deliveryJson(delivery), body: delivery.body, tries };
}

function logLines(delivery: DeliveryLog): string[] {
  const tries = delivery.tries.map(({ startedAt, duration, url, outcome: result }) => [
    timeText(startedAt),
    durationText(duration / 1000),
    result.kind === 'answered' ? `HTTP ${result.status}` : result.reason,
    printable(url),
    result.kind === 'answered' ? printable(result.answer) : '',
  ]);
  return [...alignColumns([deliveryRow(delivery)]), printable(delivery.body), ...alignColumns(tries)];
}

function isoOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
