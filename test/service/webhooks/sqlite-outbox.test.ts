import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/service/webhooks/outbox.ts';
import { SqliteWebhookOutbox } from '../../../src/service/webhooks/sqlite-outbox.ts';
import { OutboxStore } from './outbox-store.ts';

describe('the outbox in SQLite', () => {
  let store: OutboxStore;
  let outbox: SqliteWebhookOutbox;

  beforeEach(() => {
    store = new OutboxStore();
    outbox = new SqliteWebhookOutbox(store.database);
    store.addEndpoint('a', 'https://a.example/');
  });
  afterEach(() => store[Symbol.dispose]());

  const claim = (endpointId: string, now: number, limit = 10): Promise<readonly Delivery[]> =>
    outbox.claim({ endpointId, limit, now, leasedUntil: now + 60 });
  const claimOne = async (now: number): Promise<Delivery> => (await claim('a', now, 1))[0] as Delivery;
  const failure = { status: 500, reason: 'HTTP 500' };

  it('names the endpoints with something due, the longest waiting first', async () => {
    for (const id of ['b', 'c', 'idle']) store.addEndpoint(id);
    store.emit(100);
    store.database.exec(`
      UPDATE webhook_delivery SET next_attempt_at = 50 WHERE endpoint_id = 'c';
      UPDATE webhook_delivery SET next_attempt_at = 101 WHERE endpoint_id = 'b';
      UPDATE webhook_delivery SET next_attempt_at = NULL WHERE endpoint_id = 'idle';`);
    expect(await outbox.dueEndpoints(49)).toEqual([]);
    expect(await outbox.dueEndpoints(100)).toEqual(['c', 'a']);
    expect(await outbox.dueEndpoints(101)).toEqual(['c', 'a', 'b']);
    expect(await outbox.nextDueAfter(50)).toBe(100);
    expect(await outbox.nextDueAfter(101)).toBeUndefined();
  });

  it('leases what it hands out until the lease ends', async () => {
    store.emit(100, 3);
    const first = await claim('a', 100, 2);
    const stored = store.deliveries();
    expect(first).toEqual(
      stored.slice(0, 2).map(({ id, body }) => ({
        id,
        body,
        endpointId: 'a',
        url: 'https://a.example/',
        secret: 'whsec_test',
        event: 'device.registered',
        createdAt: 100,
        attempts: 1,
        leasedUntil: 160,
      })),
    );
    expect((await claim('a', 100)).map(({ id }) => id)).toEqual([stored[2]?.id]);
    expect(await claim('a', 159)).toEqual([]);
    expect((await claim('a', 160)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
  });

  it.each([
    [
      { kind: 'delivered', at: 105, status: 204 },
      { attempts: 1, next_attempt_at: null, delivered_at: 105, last_status: 204, last_error: null },
    ],
    [
      { kind: 'retry', at: 120, failure },
      { attempts: 1, next_attempt_at: 120, delivered_at: null, last_status: 500, last_error: 'HTTP 500' },
    ],
    [
      { kind: 'retry', at: 120, failure: { reason: 'TIMEOUT' } },
      { attempts: 1, next_attempt_at: 120, delivered_at: null, last_status: null, last_error: 'TIMEOUT' },
    ],
    [
      { kind: 'given-up', failure },
      { attempts: 1, next_attempt_at: null, delivered_at: null, last_status: 500, last_error: 'HTTP 500' },
    ],
    [
      { kind: 'released', at: 105 },
      { attempts: 0, next_attempt_at: 105, delivered_at: null, last_status: null, last_error: null },
    ],
  ] as const)('records %j', async (settlement, expected) => {
    store.emit(100);
    await outbox.settle(await claimOne(100), settlement);
    expect(store.deliveries()).toMatchObject([expected]);
  });

  it('disables an endpoint that is gone and gives up what waits for it, and nothing else', async () => {
    store.addEndpoint('b');
    store.emit(100, 3);
    const { status, reason } = { status: 410, reason: 'HTTP 410' };
    await outbox.settle(await claimOne(100), { kind: 'endpoint-gone', at: 105, failure: { status, reason } });

    expect(store.disabledAt('a')).toBe(105);
    const ofEndpoint = (id: string) => store.deliveries().filter(({ endpoint_id }) => endpoint_id === id);
    expect(ofEndpoint('a')).toMatchObject([
      { next_attempt_at: null, delivered_at: null, last_status: 410, last_error: 'HTTP 410' },
      { next_attempt_at: null, delivered_at: null, last_error: 'the endpoint is disabled' },
      { next_attempt_at: null, delivered_at: null, last_error: 'the endpoint is disabled' },
    ]);
    expect(store.disabledAt('b')).toBeNull();
    expect(ofEndpoint('b').map(({ next_attempt_at }) => next_attempt_at)).toEqual([100, 100, 100]);
    store.emit(200);
    expect(ofEndpoint('a')).toHaveLength(3);
    expect(ofEndpoint('b')).toHaveLength(4);
  });

  it('hands out nothing of a disabled endpoint', async () => {
    store.emit(100);
    store.database.exec(`UPDATE webhook_endpoint SET disabled_at = 100 WHERE id = 'a'`);
    expect(await outbox.dueEndpoints(100)).toEqual([]);
    expect(await claim('a', 100)).toEqual([]);
  });

  it('lets the failure of a lost lease change nothing, but takes its success', async () => {
    store.emit(100);
    const slow = await claimOne(100);
    const fresh = await claimOne(160);
    for (const settlement of [
      { kind: 'retry', at: 1, failure },
      { kind: 'given-up', failure },
      { kind: 'released', at: 1 },
    ] as const) {
      await outbox.settle(slow, settlement);
      expect(store.deliveries()).toMatchObject([{ next_attempt_at: 220, attempts: 2, last_error: null }]);
    }
    await outbox.settle(slow, { kind: 'delivered', at: 170, status: 200 });
    await outbox.settle(fresh, { kind: 'retry', at: 300, failure });
    expect(store.deliveries()).toMatchObject([{ next_attempt_at: null, delivered_at: 170, last_status: 200 }]);
  });
});
