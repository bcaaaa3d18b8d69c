import { expect, test } from 'vitest';
import {
  type AttemptRecord,
  type Delivery,
  type Settlement,
  WebhookOutbox,
} from '../../../src/service/webhooks/outbox.ts';
import { createWebhookStore } from '../../../src/service/webhooks/webhook-store.ts';
import { describeOnEveryDatabase, type OpenDatabase } from './databases.ts';
import { WebhookFixture } from './webhook-fixture.ts';

const failure = { status: 500, reason: 'HTTP 500' };
const DAY = 24 * 3_600_000;

async function start(open: OpenDatabase) {
  const sql = await open();
  const fixture = await WebhookFixture.of(sql);
  await fixture.addEndpoint('a');
  const outbox = new WebhookOutbox(sql);
  const claim = (endpointId: string, now: number, limit = 10): Promise<readonly Delivery[]> =>
    outbox.claim({ endpointId, limit, now, leasedUntil: now + 60 });
  const claimOne = async (now: number): Promise<Delivery> => (await claim('a', now, 1))[0]!;
  return { sql, fixture, outbox, claim, claimOne };
}

describeOnEveryDatabase('the outbox', (open) => {
  test('returns endpoints with due deliveries, the longest waiting first', async () => {
    const { sql, fixture, outbox } = await start(open);
    for (const id of ['b', 'c', 'idle']) await fixture.addEndpoint(id);
    await fixture.emit(100);
    const due = async (id: string, at: number | null) =>
      sql.queries.updateTable('webhook_delivery').set({ next_attempt_at: at }).where('endpoint_id', '=', id).execute();
    await due('c', 50);
    await due('b', 101);
    await due('idle', null);
    expect(await outbox.dueEndpoints(49)).toEqual([]);
    expect(await outbox.dueEndpoints(100)).toEqual(['c', 'a']);
    expect(await outbox.dueEndpoints(101)).toEqual(['c', 'a', 'b']);
    expect(await outbox.nextDueAfter(50)).toBe(100);
    expect(await outbox.nextDueAfter(101)).toBeUndefined();
  });

  test('leases claimed deliveries until the lease expires', async () => {
    const { fixture, claim } = await start(open);
    await fixture.emit(100, 3);
    const first = await claim('a', 100, 2);
    const stored = new Map((await fixture.deliveries()).map((delivery) => [delivery.id, delivery]));
    expect(first).toHaveLength(2);
    for (const delivery of first) {
      expect(delivery).toEqual({
        id: delivery.id,
        body: stored.get(delivery.id)?.body,
        endpointId: 'a',
        url: 'https://a.example/',
        secrets: ['whsec_test'],
        event: 'device.registered',
        triedFrom: 100,
        attempts: 1,
        leasedUntil: 160,
      });
    }
    expect(await claim('a', 100)).toHaveLength(1);
    expect(await claim('a', 159)).toEqual([]);
    expect((await claim('a', 160)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
  });

  test('leases each delivery to one of several concurrent claims', async () => {
    const { fixture, claim } = await start(open);
    await fixture.emit(100, 40);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim('a', 100, 8)));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const rest of await claim('a', 100, 40)) ids.push(rest.id);
    expect(new Set(ids).size).toBe(40);
  });

  test.each<[Settlement, object]>([
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
  ])('records %j', async (settlement, expected) => {
    const { fixture, outbox, claimOne } = await start(open);
    await fixture.emit(100);
    await outbox.settle(await claimOne(100), settlement, undefined);
    expect(await fixture.deliveries()).toMatchObject([expected]);
  });

  test('disables an endpoint that responds 410 and discards only its waiting deliveries', async () => {
    const { fixture, outbox, claimOne } = await start(open);
    await fixture.addEndpoint('b');
    await fixture.emit(100, 3);
    const gone = { status: 410, reason: 'HTTP 410' };
    await outbox.settle(await claimOne(100), { kind: 'endpoint-gone', at: 105, failure: gone }, undefined);

    expect(await fixture.disabledAt('a')).toBe(105);
    const ended = await fixture.deliveries('a');
    for (const delivery of ended) expect(delivery).toMatchObject({ next_attempt_at: null, delivered_at: null });
    const errors = ended.map(({ last_error: error }) => error);
    expect(errors.filter((error) => error === 'the endpoint is disabled')).toHaveLength(2);
    expect(errors).toContain('HTTP 410');
    expect(await fixture.disabledAt('b')).toBeNull();
    expect((await fixture.deliveries('b')).map(({ next_attempt_at: at }) => at)).toEqual([100, 100, 100]);
    await fixture.emit(200);
    expect(await fixture.deliveries('a')).toHaveLength(3);
    expect(await fixture.deliveries('b')).toHaveLength(4);
  });

  test('disables an endpoint that gives up a delivery after only failures for five days', async () => {
    const { sql, fixture, outbox, claimOne } = await start(open);
    const webhooks = createWebhookStore(sql);
    const settle = async (now: number, kind: 'retry' | 'given-up' | 'delivered') => {
      await fixture.emit(now);
      const delivery = await claimOne(now);
      const outcome = { kind: 'failed', reason: 'ECONNREFUSED' } as const;
      const attempt: AttemptRecord = { startedAt: now, duration: 1, url: 'https://a.example/', headers: {}, outcome };
      const settlement: Settlement =
        kind === 'retry'
          ? { kind, at: now + 100 * DAY, failure }
          : kind === 'given-up'
            ? { kind, failure }
            : { kind, at: now, status: 200 };
      return outbox.settle(delivery, settlement, attempt);
    };
    const endpoint = async () => (await webhooks.find('acc_1', 'a', 0))!;
    await settle(100, 'retry');
    expect((await endpoint()).failingSince).toBe(100);
    await settle(200, 'delivered');
    expect((await endpoint()).failingSince).toBeUndefined();
    expect(await settle(300, 'given-up')).toBe('recorded');
    expect(await settle(300 + 5 * DAY - 1, 'given-up')).toBe('recorded');
    expect(await settle(300 + 5 * DAY, 'retry')).toBe('recorded');
    expect((await endpoint()).disabledAt).toBeUndefined();
    expect(await settle(301 + 5 * DAY, 'given-up')).toBe('switched-off');
    expect(await endpoint()).toMatchObject({
      disabledAt: 301 + 5 * DAY,
      disabledBecause: 'failing',
      failingSince: 300,
    });
    expect(await outbox.nextDueAfter(0)).toBeUndefined();
    await webhooks.enable('acc_1', 'a');
    expect(await endpoint()).toMatchObject({
      disabledAt: undefined,
      disabledBecause: undefined,
      failingSince: undefined,
    });
  });

  test('leases nothing of a disabled endpoint', async () => {
    const { sql, fixture, outbox, claim } = await start(open);
    await fixture.emit(100);
    await sql.queries.updateTable('webhook_endpoint').set({ disabled_at: 100 }).execute();
    expect(await outbox.dueEndpoints(100)).toEqual([]);
    expect(await claim('a', 100)).toEqual([]);
  });

  test('ignores the failure of an expired lease, but records its success', async () => {
    const { fixture, outbox, claimOne } = await start(open);
    await fixture.emit(100);
    const slow = await claimOne(100);
    const fresh = await claimOne(160);
    const lost: readonly Settlement[] = [
      { kind: 'retry', at: 1, failure },
      { kind: 'given-up', failure },
      { kind: 'released', at: 1 },
    ];
    for (const settlement of lost) {
      await outbox.settle(slow, settlement, undefined);
      expect(await fixture.deliveries()).toMatchObject([{ next_attempt_at: 220, attempts: 2, last_error: null }]);
    }
    await outbox.settle(slow, { kind: 'delivered', at: 170, status: 200 }, undefined);
    await outbox.settle(fresh, { kind: 'retry', at: 300, failure }, undefined);
    expect(await fixture.deliveries()).toMatchObject([{ next_attempt_at: null, delivered_at: 170, last_status: 200 }]);
  });

  test('returns the previous secret for a day', async () => {
    const { sql, fixture, claim } = await start(open);
    await fixture.emit(100);
    await sql.queries
      .updateTable('webhook_endpoint')
      .set({ secret: 'whsec_new', previous_secret: 'whsec_old', previous_secret_until: 200 })
      .execute();
    expect((await claim('a', 100)).map(({ secrets }) => secrets)).toEqual([['whsec_new', 'whsec_old']]);
    expect((await claim('a', 199)).map(({ secrets }) => secrets)).toEqual([['whsec_new', 'whsec_old']]);
    expect((await claim('a', 300)).map(({ secrets }) => secrets)).toEqual([['whsec_new']]);
  });

  test('prunes old finished deliveries with their log, up to a limit', async () => {
    const { sql, fixture, outbox, claim } = await start(open);
    const attempt: AttemptRecord = {
      startedAt: 100,
      duration: 5,
      url: 'https://a.example/',
      headers: {},
      outcome: { kind: 'failed', reason: 'TIMEOUT' },
    };
    await fixture.emit(100, 5);
    for (const delivery of await claim('a', 100)) {
      await outbox.settle(delivery, { kind: 'delivered', at: 100, status: 200 }, attempt);
    }
    await fixture.emit(101, 2);
    await fixture.emit(DAY);
    const again = (await fixture.deliveries())[0]!.id;
    await sql.queries.updateTable('webhook_delivery').set({ sent_again_at: DAY }).where('id', '=', again).execute();
    expect(await outbox.prune(DAY, 3)).toBe(3);
    expect(await outbox.prune(DAY, 3)).toBe(1);
    expect(await outbox.prune(DAY, 3)).toBe(0);
    // Waiting deliveries are kept however old they are, and so are those sent again recently.
    expect((await fixture.deliveries()).map(({ created_at: at }) => at)).toEqual([100, 101, 101, DAY]);
    const log = await sql.queries.selectFrom('webhook_attempt').select('delivery_id').execute();
    expect(log).toEqual([{ delivery_id: again }]);
  });
});
