import type { EmittedEvent } from '../../../protocol/webhooks.ts';

/** Something that happened in one account, to be told to the webhooks that subscribed to it. */
export interface AccountEvent {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly occurredAt: number;
  readonly event: EmittedEvent;
}

/**
 * Takes an event inside the transaction that records the fact itself: both are kept or neither is. Delivery happens
 * later, from what was recorded (webhooks/).
 */
export interface EventSink {
  emit(event: AccountEvent): void;
}
