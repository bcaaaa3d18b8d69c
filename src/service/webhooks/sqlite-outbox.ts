import type { Database, Statement } from 'better-sqlite3';
import type { ClaimRequest, Delivery, Settlement, WebhookOutbox } from './outbox.ts';

interface DeliveryRow {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  readonly created_at: number;
  readonly attempts: number;
}

/**
 * The outbox in the service's SQLite database. A delivery waits while `next_attempt_at` is a time, and a lease is that
 * time put into the future; it is NULL once the delivery is done, delivered or given up.
 */
export class SqliteWebhookOutbox implements WebhookOutbox {
  readonly #due: Statement<[number], { id: string }>;
  readonly #endpoint: Statement<[string], { url: string; secret: string }>;
  readonly #claim: Statement<[number, string, number, number], DeliveryRow>;
  readonly #next: Statement<[number], { at: number | null }>;
  readonly #delivered: Statement<[number, number, string]>;
  readonly #retry: Statement<[number, number | null, string, string, number]>;
  readonly #giveUp: Statement<[number | null, string, string, number]>;
  readonly #release: Statement<[number, string, number]>;
  readonly #disable: Statement<[number, string]>;
  readonly #giveUpRest: Statement<[string, string]>;
  readonly #transaction: <Result>(work: () => Result) => Result;

  constructor(database: Database) {
    this.#due = database.prepare(`
      SELECT e.id FROM (
        SELECT id, (SELECT min(next_attempt_at) FROM webhook_delivery
          WHERE endpoint_id = webhook_endpoint.id AND next_attempt_at IS NOT NULL) AS at
        FROM webhook_endpoint WHERE disabled_at IS NULL
      ) AS e WHERE e.at <= ? ORDER BY e.at`);
    this.#endpoint = database.prepare('SELECT url, secret FROM webhook_endpoint WHERE id = ? AND disabled_at IS NULL');
    this.#claim = database.prepare(`
      UPDATE webhook_delivery SET next_attempt_at = ?, attempts = attempts + 1 WHERE id IN (
        SELECT id FROM webhook_delivery WHERE endpoint_id = ? AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?
      ) RETURNING id, event, body, created_at, attempts`);
    this.#next = database.prepare(`
      SELECT min(next_attempt_at) AS at FROM webhook_delivery WHERE next_attempt_at > ?`);
    this.#delivered = database.prepare(`
      UPDATE webhook_delivery SET next_attempt_at = NULL, delivered_at = ?, last_status = ?, last_error = NULL
      WHERE id = ? AND delivered_at IS NULL`);
    this.#retry = database.prepare(`
      UPDATE webhook_delivery SET next_attempt_at = ?, last_status = ?, last_error = ?
      WHERE id = ? AND next_attempt_at = ?`);
    this.#giveUp = database.prepare(`
      UPDATE webhook_delivery SET next_attempt_at = NULL, last_status = ?, last_error = ?
      WHERE id = ? AND next_attempt_at = ?`);
    this.#release = database.prepare(`
      UPDATE webhook_delivery SET next_attempt_at = ?, attempts = attempts - 1 WHERE id = ? AND next_attempt_at = ?`);
    this.#disable = database.prepare(
      'UPDATE webhook_endpoint SET disabled_at = ? WHERE id = ? AND disabled_at IS NULL',
    );
    this.#giveUpRest = database.prepare(`
      UPDATE webhook_delivery SET next_attempt_at = NULL, last_error = ?
      WHERE endpoint_id = ? AND next_attempt_at IS NOT NULL`);
    this.#transaction = (work) => database.transaction(work).immediate();
  }

  async dueEndpoints(now: number): Promise<readonly string[]> {
    return this.#due.all(now).map(({ id }) => id);
  }

  async claim({ endpointId, limit, now, leasedUntil }: ClaimRequest): Promise<readonly Delivery[]> {
    return this.#transaction(() => {
      const endpoint = this.#endpoint.get(endpointId);
      if (endpoint === undefined) return [];
      const { url, secret } = endpoint;
      return this.#claim.all(leasedUntil, endpointId, now, limit).map(({ id, event, body, created_at, attempts }) => ({
        id,
        endpointId,
        url,
        secret,
        event,
        body,
        createdAt: created_at,
        attempts,
        leasedUntil,
      }));
    });
  }

  async nextDueAfter(now: number): Promise<number | undefined> {
    return this.#next.get(now)?.at ?? undefined;
  }

  async settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    this.#transaction(() => this.#record(delivery, settlement));
  }

  #record({ id, endpointId, leasedUntil }: Delivery, settlement: Settlement): void {
    switch (settlement.kind) {
      case 'delivered':
        this.#delivered.run(settlement.at, settlement.status, id);
        return;
      case 'retry': {
        const { status, reason } = settlement.failure;
        this.#retry.run(settlement.at, status ?? null, reason, id, leasedUntil);
        return;
      }
      case 'given-up':
        this.#giveUp.run(settlement.failure.status ?? null, settlement.failure.reason, id, leasedUntil);
        return;
      case 'endpoint-gone':
        this.#giveUp.run(settlement.failure.status ?? null, settlement.failure.reason, id, leasedUntil);
        this.#disable.run(settlement.at, endpointId);
        this.#giveUpRest.run('the endpoint is disabled', endpointId);
        return;
      case 'released':
        this.#release.run(settlement.at, id, leasedUntil);
    }
  }
}
