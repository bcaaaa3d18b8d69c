import type { AttemptRecord } from './outbox.ts';

/** A receiver of an account's events. Its secrets are written, and never read back. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** None means all, those of later versions included. */
  readonly events: readonly string[];
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
  /** Until when the secret before the last rotation is good, where it still is. */
  readonly previousSecretUntil: number | undefined;
}

export interface NewWebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly now: number;
}

/**
 * `waiting` for a try, `delivered`, or `given-up` after a day, or because the endpoint was disabled.
 */
export type DeliveryState = 'waiting' | 'delivered' | 'given-up';

export interface LoggedDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly createdAt: number;
  readonly state: DeliveryState;
  /** Since the event, or since it was last sent again. */
  readonly attempts: number;
  readonly nextAttemptAt: number | undefined;
  readonly deliveredAt: number | undefined;
  /** Of the last try: what was answered, or why nothing was. */
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
}

export interface DeliveryLog extends LoggedDelivery {
  /** The exact text that every try sends. */
  readonly body: string;
  /** Oldest first. */
  readonly tries: readonly AttemptRecord[];
}

export interface DeliveryPage {
  /** Only this endpoint's. */
  readonly endpointId?: string;
  /** Those behind this one, as the page before ended with it. */
  readonly after?: Pick<LoggedDelivery, 'createdAt' | 'id'>;
  readonly limit: number;
}

/** Endpoints and the log of deliveries, always within one account. Times are milliseconds since the epoch. */
export interface WebhookStore {
  add(endpoint: NewWebhookEndpoint): Promise<void>;
  /** In the order in which they were added. */
  list(accountId: string, now: number): Promise<readonly WebhookEndpoint[]>;
  find(accountId: string, id: string, now: number): Promise<WebhookEndpoint | undefined>;
  /** False where there is no such endpoint; so all that follow. */
  change(accountId: string, id: string, to: Pick<WebhookEndpoint, 'url' | 'events'>): Promise<boolean>;
  /** The secret until now stays good until `previousUntil`; one that was replaced before is good no more. */
  rotate(accountId: string, id: string, secret: string, previousUntil: number): Promise<boolean>;
  enable(accountId: string, id: string): Promise<boolean>;
  /** What waits for it is given up. */
  disable(accountId: string, id: string, now: number): Promise<boolean>;
  /** With the log of its deliveries. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Newest first. */
  deliveries(accountId: string, page: DeliveryPage): Promise<readonly LoggedDelivery[]>;
  delivery(accountId: string, id: string): Promise<DeliveryLog | undefined>;
  /** Makes it due at once, and for another day. `disabled` where its endpoint is. */
  sendAgain(accountId: string, id: string, now: number): Promise<'due' | 'disabled' | 'unknown'>;
}
