import type { EmittedEvent } from '../../protocol/webhooks.ts';

/** An event in one account, for the webhooks that subscribed to it. */
export interface AccountEvent {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly occurredAt: number;
  readonly event: EmittedEvent;
}
