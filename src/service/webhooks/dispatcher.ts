import { planClaims } from './claim-plan.ts';
import type { Delivery, Settlement, WebhookOutbox } from './outbox.ts';
import { nextAttemptAt } from './retry.ts';
import { requestHeaders, type Sender, type SendResult } from './sender.ts';
import { DAY, HOUR, MINUTE } from '../../model/units.ts';

/** Time limit of an attempt, including name resolution and connection. */
const TRY_TIMEOUT = 15 * 1000;
/** Longer than any attempt, so that a lease outlives it; deliveries of a killed process wait this long. */
const LEASE = MINUTE;
/** Interval for polling rows of other processes. */
const POLL_INTERVAL = 3 * 1000;
/** Time that `stop` waits for running attempts. */
const STOP_GRACE = 5 * 1000;
/** Time that finished deliveries stay in the log. */
const LOG_KEPT = 30 * DAY;
const PRUNE_INTERVAL = HOUR;
/** Rows deleted at a time, so that others do not wait long for the database. */
const PRUNE_AT_ONCE = 500;

/** Milliseconds since the epoch; `sleep` rejects when its signal aborts. */
export interface DispatcherClock {
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface DispatcherLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface DispatcherOptions {
  readonly outbox: WebhookOutbox;
  readonly send: Sender;
  readonly clock: DispatcherClock;
  readonly log: DispatcherLog;
  /** In [0, 1), for the jitter. */
  readonly random?: () => number;
}

/** Delivers the rows of the outbox at least once, each endpoint at its own rate. */
export class Dispatcher {
  readonly #outbox: WebhookOutbox;
  readonly #send: Sender;
  readonly #clock: DispatcherClock;
  readonly #log: DispatcherLog;
  readonly #random: () => number;

  readonly #underWay = new Set<Promise<void>>();
  readonly #inFlight = new Map<string, number>();
  readonly #failing = new Set<string>();
  /** Aborts running attempts. */
  readonly #cutOff = new AbortController();
  #woken = new AbortController();
  #stopped = false;
  #nextPrune = 0;
  #loop: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    this.#outbox = options.outbox;
    this.#send = options.send;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#random = options.random ?? Math.random;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Announces new rows, so that they do not wait for the next poll. Cheap; never throws. */
  wake(): void {
    this.#woken.abort();
  }

  /** Stops after running attempts, within seconds; interrupted ones are due again immediately. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#loop;
    const finished = new AbortController();
    const grace = this.#clock.sleep(STOP_GRACE, finished.signal).then(
      () => this.#cutOff.abort(),
      () => undefined,
    );
    await Promise.all(this.#underWay);
    finished.abort();
    await grace;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      // Created before the query, so that a wake-up during the query is not lost.
      this.#woken = new AbortController();
      const pause = await this.#look();
      if (pause > 0) await this.#clock.sleep(pause, this.#woken.signal).catch(() => undefined);
    }
  }

  /** Starts due deliveries that fit. Returns the time until the next query. */
  async #look(): Promise<number> {
    try {
      const now = this.#clock.now();
      if (await this.#prune(now)) return 0;
      let next = await this.#outbox.nextDueAfter(0);
      if (next !== undefined && next <= now) {
        if ((await this.#claimDue(now)) > 0) return 0;
        next = await this.#outbox.nextDueAfter(now);
      }
      return next === undefined ? POLL_INTERVAL : Math.min(POLL_INTERVAL, Math.max(1, next - now));
    } catch (error) {
      this.#log.error({ err: error }, 'the webhook outbox cannot be read');
      return POLL_INTERVAL;
    }
  }

  /** Returns whether there may be more rows to prune. */
  async #prune(now: number): Promise<boolean> {
    if (now < this.#nextPrune) return false;
    const pruned = await this.#outbox.prune(now - LOG_KEPT, PRUNE_AT_ONCE);
    if (pruned === PRUNE_AT_ONCE) return true;
    this.#nextPrune = now + PRUNE_INTERVAL;
    return false;
  }

  async #claimDue(now: number): Promise<number> {
    const due = await this.#outbox.dueEndpoints(now);
    let claimed = 0;
    for (const { endpointId, limit } of planClaims(due, { inFlight: this.#inFlight, failing: this.#failing })) {
      if (this.#stopped) break;
      const deliveries = await this.#outbox.claim({ endpointId, limit, now, leasedUntil: now + LEASE });
      claimed += deliveries.length;
      for (const delivery of deliveries) this.#begin(delivery);
    }
    return claimed;
  }

  #begin(delivery: Delivery): void {
    this.#inFlight.set(delivery.endpointId, (this.#inFlight.get(delivery.endpointId) ?? 0) + 1);
    const attempt = this.#attempt(delivery).finally(() => {
      this.#underWay.delete(attempt);
      const left = (this.#inFlight.get(delivery.endpointId) ?? 1) - 1;
      if (left === 0) this.#inFlight.delete(delivery.endpointId);
      else this.#inFlight.set(delivery.endpointId, left);
      this.wake();
    });
    this.#underWay.add(attempt);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const fields = { delivery_id: delivery.id, endpoint_id: delivery.endpointId, event: delivery.event };
    try {
      const startedAt = this.#clock.now();
      const result = await this.#sendInTime(delivery);
      const attempt = result && { startedAt, duration: this.#clock.now() - startedAt, url: delivery.url, ...result };
      const settlement = this.#settlementOf(delivery, result);
      if (settlement.kind === 'delivered') this.#failing.delete(delivery.endpointId);
      else if (settlement.kind !== 'released') this.#failing.add(delivery.endpointId);
      const settled = await this.#outbox.settle(delivery, settlement, attempt);
      this.#report({ ...fields, attempts: delivery.attempts }, settlement);
      if (settled === 'switched-off')
        this.#log.warn(fields, 'webhook endpoint has failed for five days and is now disabled');
    } catch (error) {
      // The lease expires and the delivery is retried.
      this.#log.error({ ...fields, err: error }, 'a webhook delivery could not be recorded');
    }
  }

  /** `undefined` if `stop` interrupted the attempt. */
  async #sendInTime(delivery: Delivery): Promise<SendResult | undefined> {
    const finished = new AbortController();
    const timeUp = new AbortController();
    const timer = this.#clock.sleep(TRY_TIMEOUT, finished.signal).then(
      () => timeUp.abort(),
      () => undefined,
    );
    try {
      return await this.#send(delivery, AbortSignal.any([timeUp.signal, this.#cutOff.signal]));
    } catch (error) {
      if (timeUp.signal.aborted) {
        const headers = requestHeaders(delivery, delivery.secrets[0], Buffer.from(delivery.body, 'utf8'));
        return { headers, outcome: { kind: 'failed', reason: 'TIMEOUT' } };
      }
      if (this.#cutOff.signal.aborted) return undefined;
      throw error;
    } finally {
      finished.abort();
      await timer;
    }
  }

  #settlementOf(delivery: Delivery, result: SendResult | undefined): Settlement {
    const now = this.#clock.now();
    if (result === undefined) return { kind: 'released', at: now };
    const { outcome } = result;
    const status = outcome.kind === 'answered' ? outcome.status : undefined;
    if (status !== undefined && status >= 200 && status < 300) return { kind: 'delivered', at: now, status };
    const failure =
      outcome.kind === 'answered'
        ? { status: outcome.status, reason: `HTTP ${outcome.status}` }
        : { reason: outcome.reason };
    if (status === 410) return { kind: 'endpoint-gone', at: now, failure };
    const { triedFrom, attempts } = delivery;
    const at = nextAttemptAt({ triedFrom, now, attempts, random: this.#random() });
    return at === undefined ? { kind: 'given-up', failure } : { kind: 'retry', at, failure };
  }

  #report(fields: object, settlement: Settlement): void {
    switch (settlement.kind) {
      case 'delivered':
        return this.#log.info({ ...fields, status: settlement.status }, 'webhook delivered');
      case 'retry':
        return this.#log.info({ ...fields, ...settlement.failure }, 'webhook delivery failed; it will be tried again');
      case 'given-up':
        return this.#log.warn({ ...fields, ...settlement.failure }, 'webhook delivery given up');
      case 'endpoint-gone':
        return this.#log.warn({ ...fields, ...settlement.failure }, 'webhook endpoint is gone and now disabled');
      case 'released':
        return this.#log.info(fields, 'webhook delivery interrupted');
    }
  }
}
