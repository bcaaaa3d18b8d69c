/** One event for one endpoint, as it is sent. */
export interface Delivery {
  /** Stable over all tries; the `delivery_id` of the body. */
  readonly id: string;
  readonly endpointId: string;
  readonly url: string;
  /** Those that the receiver may know, the newest first: two for a day after a rotation, else one. */
  readonly secrets: readonly [string, ...string[]];
  readonly event: string;
  /** The JSON that was written with the fact; every try sends these bytes in UTF-8. */
  readonly body: string;
  /** The 24 hours of tries begin here: with the event, or when somebody sent it again. Milliseconds since the epoch. */
  readonly triedFrom: number;
  /** Tries since then, this one included. */
  readonly attempts: number;
  /** Until when this process alone may send it, in milliseconds since the epoch. */
  readonly leasedUntil: number;
}

/** One try as the log keeps it. */
export interface AttemptRecord {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly url: string;
  /** As they were sent; the body is the delivery's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly outcome: AttemptOutcome;
}

export type AttemptOutcome =
  /** `answer` is the beginning of the answer's body as text. */
  | { readonly kind: 'answered'; readonly status: number; readonly answer: string }
  /** Nothing was answered, or nothing was sent; `reason` is an error's code. */
  | { readonly kind: 'failed'; readonly reason: string };

export type Settlement =
  | { readonly kind: 'delivered'; readonly at: number; readonly status: number }
  | { readonly kind: 'retry'; readonly at: number; readonly failure: DeliveryFailure }
  | { readonly kind: 'given-up'; readonly failure: DeliveryFailure }
  /** The receiver said that it is gone for good: the endpoint is disabled and all that waits for it is given up. */
  | { readonly kind: 'endpoint-gone'; readonly at: number; readonly failure: DeliveryFailure }
  /** Not tried to its end; it counts as no try and is due at once. */
  | { readonly kind: 'released'; readonly at: number };

export interface DeliveryFailure {
  /** The receiver's status, where it answered. */
  readonly status?: number;
  readonly reason: string;
}

/**
 * The deliveries that were recorded in the same transaction as their facts. Several processes may work on one outbox:
 * what one has claimed no other gets before the lease has run out, and a killed process's claims come back by that.
 */
export interface WebhookOutbox {
  /** Enabled endpoints with at least one delivery due at `now`, the longest waiting first. */
  dueEndpoints(now: number): Promise<readonly string[]>;
  /** Leases up to `limit` due deliveries of one endpoint, the longest waiting first, and counts a try of each. */
  claim(request: ClaimRequest): Promise<readonly Delivery[]>;
  /** When the next delivery becomes due that is not yet due at `now`. */
  nextDueAfter(now: number): Promise<number | undefined>;
  /**
   * Records how a try ended, and the try itself in the log. A failure counts only while the lease is still this one; a
   * success always does.
   */
  settle(delivery: Delivery, settlement: Settlement, attempt: AttemptRecord | undefined): Promise<void>;
  /** Forgets deliveries of before `before` that nothing is left to do for, with their log; at most so many at once. */
  prune(before: number, limit: number): Promise<number>;
}

export interface ClaimRequest {
  readonly endpointId: string;
  readonly limit: number;
  readonly now: number;
  readonly leasedUntil: number;
}
