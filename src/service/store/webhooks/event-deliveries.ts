import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { WebhookBody } from '../../../protocol/webhooks.ts';
import type { AccountEvent } from './account-event.ts';
import { newIdentifier } from '../../identifier.ts';

export interface SubscribedEndpoint {
  readonly id: string;
  /** JSON array of event types; an empty one means all of them. */
  readonly events_json: string;
}

export interface NewDelivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event: string;
  readonly body: string;
  readonly created_at: number;
  readonly next_attempt_at: number;
}

/** One delivery for each endpoint that subscribed to the event, with the exact text that every try will send. */
export function deliveriesOf(endpoints: readonly SubscribedEndpoint[], event: AccountEvent): readonly NewDelivery[] {
  const name = event.event.event;
  return endpoints
    .filter((endpoint) => subscribes(endpoint.events_json, name))
    .map((endpoint) => {
      const id = newIdentifier('dlv');
      const { occurredAt } = event;
      return {
        id,
        endpoint_id: endpoint.id,
        event: name,
        body: bodyOf(id, event),
        created_at: occurredAt,
        next_attempt_at: occurredAt,
      };
    });
}

function subscribes(eventsJson: string, event: string): boolean {
  const events = JSON.parse(eventsJson) as readonly string[];
  return events.length === 0 || events.includes(event);
}

function bodyOf(id: string, { accountId, occurredAt, event }: AccountEvent): string {
  const body: WebhookBody = {
    event: event.event,
    timestamp: formatTimestamp(occurredAt),
    delivery_id: id,
    account_id: accountId,
    data: event.data,
  };
  return JSON.stringify(body);
}
