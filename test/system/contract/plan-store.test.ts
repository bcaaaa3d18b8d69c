import { expect, test } from 'vitest';
import { EVENT_DATA, type EventType } from '../../../src/protocol/webhooks.ts';
import { createPlanStore } from '../../../src/service/billing/plan-store.ts';
import { describeOnEveryDatabase, type OpenDatabase } from './databases.ts';
import { ACCOUNT, OTHER_ACCOUNT, WebhookFixture } from './webhook-fixture.ts';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');

async function start(open: OpenDatabase) {
  const sql = await open();
  const fixture = await WebhookFixture.of(sql);
  await fixture.addEndpoint('a');
  let told = 0;
  /** Returns the events since the last call. */
  const news = async () => {
    const all = await fixture.emitted();
    for (const { event, data } of all) expect(EVENT_DATA[event as EventType].parse(data)).toEqual(data);
    const newest = all.slice(told);
    told = all.length;
    return newest;
  };
  const use = async (bytes: number) =>
    sql.queries.updateTable('account').set({ storage_used: bytes }).where('id', '=', ACCOUNT).execute();
  return { plans: createPlanStore(sql), news, use };
}

describeOnEveryDatabase('plans', (open) => {
  test('emit an event when they change, and only then', async () => {
    const { plans, news, use } = await start(open);
    await use(5);
    expect(await plans.find(ACCOUNT)).toBeUndefined();
    let time = NOW;
    const set = async (name: string, limit: number | undefined) => {
      time += 1000;
      await plans.set(ACCOUNT, { name, limit }, time);
      expect(await plans.find(ACCOUNT)).toMatchObject({ name, limit, changedAt: time });
      return (await news()).map(({ data }) => data);
    };
    expect(await set('free', 100)).toEqual([
      {
        previous_plan: null,
        plan: 'free',
        change: 'downgraded',
        previous_limit_bytes: null,
        limit_bytes: 100,
        storage_used_bytes: 5,
        changed_at: '2026-03-01T10:00:01.000Z',
      },
    ]);
    expect(await set('free', 100)).toEqual([]);
    expect(await set('team', 2 ** 50)).toMatchObject([{ change: 'upgraded', previous_plan: 'free' }]);
    expect(await set('friends', 2 ** 50)).toMatchObject([{ change: 'changed', previous_plan: 'team' }]);
    expect(await set('friends', undefined)).toMatchObject([{ change: 'upgraded', limit_bytes: null }]);
    expect(await plans.find(OTHER_ACCOUNT)).toBeUndefined();
    expect(await plans.limitedAccounts()).toEqual([]);
    await set('team', 100);
    expect(await plans.limitedAccounts()).toEqual([ACCOUNT]);
  });

  test('emit one event each time the use crosses the threshold', async () => {
    const { plans, news, use } = await start(open);
    await plans.checkUse(ACCOUNT, NOW);
    await plans.set(ACCOUNT, { name: 'team', limit: 1000 }, NOW);
    await news();
    let time = NOW;
    const at = async (bytes: number) => {
      time += 1000;
      await use(bytes);
      await Promise.all([plans.checkUse(ACCOUNT, time), plans.checkUse(ACCOUNT, time)]);
      return news();
    };
    expect(await at(799)).toEqual([]);
    expect(await at(800)).toEqual([
      {
        event: 'billing.approaching_limit',
        data: {
          plan: 'team',
          limit_bytes: 1000,
          storage_used_bytes: 800,
          used_percent: 80,
          threshold_percent: 80,
          reached_at: '2026-03-01T10:00:02.000Z',
        },
      },
    ]);
    expect(await at(801)).toEqual([]);
    expect(await at(1200)).toEqual([]);
    expect(await at(799)).toEqual([]);
    expect(await at(900)).toHaveLength(1);
    // The use is below the threshold of a higher limit, and above that of a lower one.
    await plans.set(ACCOUNT, { name: 'large', limit: 10_000 }, time + 1);
    expect((await news()).map(({ event }) => event)).toEqual(['billing.plan_changed']);
    await plans.set(ACCOUNT, { name: 'team', limit: 1000 }, time + 2);
    expect((await news()).map(({ event }) => event).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'billing.approaching_limit',
      'billing.plan_changed',
    ]);
  });

  test('apply a notice once, and not after a newer one about the same subject', async () => {
    const { plans, news } = await start(open);
    const notice = (id: string, seconds: number) => ({ id, writtenAt: NOW + seconds * 1000 });
    const set = (name: string, id: string, seconds: number) =>
      plans.set(ACCOUNT, { name, limit: 1000 }, NOW, notice(id, seconds));
    expect(await set('team', 'evt_2', 20)).toBe('applied');
    expect(await set('team', 'evt_2', 20)).toBe('repeated');
    expect(await set('free', 'evt_1', 10)).toBe('outdated');
    expect(await set('free', 'evt_1', 10)).toBe('repeated');
    expect(await plans.find(ACCOUNT)).toMatchObject({ name: 'team' });
    expect(await news()).toHaveLength(1);

    const payment = { reason: 'card_declined', amount: '19.90', currency: 'EUR' };
    const failed = (id: string, seconds: number) => plans.paymentFailed(ACCOUNT, payment, NOW, notice(id, seconds));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => failed('evt_3', 5)));
    expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(4);
    expect(await news()).toEqual([
      {
        event: 'billing.payment_failed',
        data: { plan: 'team', ...payment, failed_at: '2026-03-01T10:00:05.000Z' },
      },
    ]);
    expect(await plans.find(ACCOUNT)).toMatchObject({ paymentFailedAt: NOW + 5000 });
    expect(await plans.paymentSucceeded(ACCOUNT, notice('evt_4', 8))).toBe('applied');
    expect(await failed('evt_5', 7)).toBe('outdated');
    expect(await plans.find(ACCOUNT)).toMatchObject({ paymentFailedAt: undefined });
    expect(await news()).toEqual([]);
    await plans.pruneNotices(NOW + 6000);
    expect(await plans.paymentSucceeded(ACCOUNT, notice('evt_5', 7))).toBe('repeated');
  });

  test('record a failed payment without a plan', async () => {
    const { plans, news } = await start(open);
    await plans.paymentFailed(ACCOUNT, { reason: 'unpaid', amount: undefined, currency: undefined }, NOW);
    expect(await news()).toMatchObject([{ data: { plan: 'none', reason: 'unpaid', amount: null, currency: null } }]);
  });
});
