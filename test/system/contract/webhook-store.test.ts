import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/protocol/webhooks.ts';
import { createWebhookStore } from '../../../src/service/webhooks/webhook-store.ts';
import {
  addWebhook,
  changeWebhook,
  removeWebhook,
  replay,
  rotateSecret,
  sendAgain,
  sendTest,
  setEnabled,
} from '../../../src/service/webhooks/administration.ts';
import { type AttemptRecord, WebhookOutbox } from '../../../src/service/webhooks/outbox.ts';
import { describeOnEveryDatabase, type OpenDatabase } from './databases.ts';
import { ACCOUNT, OTHER_ACCOUNT, WebhookFixture } from './webhook-fixture.ts';

const NOW = 1_000_000;
const DAY = 24 * 3_600_000;
const target = { url: 'https://r.example/x', events: [] };

async function start(open: OpenDatabase) {
  const sql = await open();
  const fixture = await WebhookFixture.of(sql);
  return { sql, fixture, webhooks: createWebhookStore(sql), outbox: new WebhookOutbox(sql) };
}

describeOnEveryDatabase('webhooks', (open) => {
  test('are added, listed without their secrets, changed and removed within their account', async () => {
    const { fixture, webhooks } = await start(open);
    const first = await addWebhook(webhooks, ACCOUNT, { ...target, url: 'https://R.example:443/x' }, NOW);
    const second = await addWebhook(webhooks, ACCOUNT, { ...target, events: EVENT_TYPES }, NOW + 1);
    await addWebhook(webhooks, OTHER_ACCOUNT, target, NOW);
    expect(first.signing_secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(second.signing_secret).not.toBe(first.signing_secret);
    const listed = await webhooks.list(ACCOUNT, NOW);
    expect(listed).toMatchObject([
      { id: first.webhook_id, url: 'https://r.example/x', events: [], createdAt: NOW },
      { id: second.webhook_id, events: EVENT_TYPES },
    ]);
    expect(JSON.stringify(listed)).not.toContain('whsec');

    await changeWebhook(webhooks, ACCOUNT, second.webhook_id, {
      url: 'https://new.example/',
      events: ['backup.failed', 'backup.failed'],
    });
    const changed = { url: 'https://new.example/', events: ['backup.failed'] };
    expect(await webhooks.find(ACCOUNT, second.webhook_id, NOW)).toMatchObject(changed);
    await fixture.emit(NOW, 3);
    expect(await fixture.deliveries(first.webhook_id)).toHaveLength(3);
    expect(await fixture.deliveries(second.webhook_id)).toEqual([]);
    await removeWebhook(webhooks, ACCOUNT, first.webhook_id);
    expect(await webhooks.list(ACCOUNT, NOW)).toHaveLength(1);
    expect(await fixture.deliveries()).toEqual([]);
  });

  test('do not exist for another account', async () => {
    const { fixture, webhooks } = await start(open);
    await fixture.emit(NOW);
    const { webhook_id: id } = await addWebhook(webhooks, ACCOUNT, target, NOW);
    await fixture.emit(NOW);
    const [delivery] = await webhooks.deliveries(ACCOUNT, { limit: 10 });
    const missing = expect.objectContaining({ code: 'not_found' });
    await expect(changeWebhook(webhooks, OTHER_ACCOUNT, id, target)).rejects.toEqual(missing);
    await expect(rotateSecret(webhooks, OTHER_ACCOUNT, id, NOW)).rejects.toEqual(missing);
    await expect(setEnabled(webhooks, OTHER_ACCOUNT, id, false, NOW)).rejects.toEqual(missing);
    await expect(removeWebhook(webhooks, OTHER_ACCOUNT, id)).rejects.toEqual(missing);
    await expect(sendAgain(webhooks, OTHER_ACCOUNT, delivery!.id, NOW)).rejects.toEqual(missing);
    expect(await webhooks.find(OTHER_ACCOUNT, id, NOW)).toBeUndefined();
    expect(await webhooks.delivery(OTHER_ACCOUNT, delivery!.id)).toBeUndefined();
    expect(await webhooks.deliveries(OTHER_ACCOUNT, { limit: 10 })).toEqual([]);
    expect(await fixture.disabledAt(id)).toBeNull();
  });

  test.each([
    ['an invalid URL', { url: 'receiver' }],
    ['a URL with credentials', { url: 'https://a:b@r.example/' }],
    ['another scheme', { url: 'ftp://r.example/' }],
    ['an unknown event', { events: ['backup.completed', 'backup.finished'] }],
  ])('refuse %s without a change', async (_name, changes) => {
    const { webhooks } = await start(open);
    const wrong = expect.objectContaining({ code: 'unprocessable' });
    await expect(addWebhook(webhooks, ACCOUNT, { ...target, ...changes }, NOW)).rejects.toEqual(wrong);
    expect(await webhooks.list(ACCOUNT, NOW)).toEqual([]);
    const { webhook_id: id } = await addWebhook(webhooks, ACCOUNT, target, NOW);
    await expect(changeWebhook(webhooks, ACCOUNT, id, { ...target, ...changes })).rejects.toEqual(wrong);
    expect(await webhooks.find(ACCOUNT, id, NOW)).toMatchObject(target);
  });

  test('get a new secret, and keep the previous one for a day', async () => {
    const { fixture, webhooks, outbox } = await start(open);
    const added = await addWebhook(webhooks, ACCOUNT, target, NOW);
    const { webhook_id: id } = added;
    const secretsAt = async (now: number) => {
      await fixture.emit(now);
      const [delivery] = await outbox.claim({ endpointId: id, limit: 1, now, leasedUntil: now + 10 * DAY });
      return delivery?.secrets;
    };
    expect(await secretsAt(NOW)).toEqual([added.signing_secret]);
    const first = await rotateSecret(webhooks, ACCOUNT, id, NOW);
    expect(await secretsAt(NOW)).toEqual([first.signing_secret, added.signing_secret]);
    expect(await webhooks.find(ACCOUNT, id, NOW)).toMatchObject({ previousSecretUntil: NOW + DAY });
    const second = await rotateSecret(webhooks, ACCOUNT, id, NOW + 1);
    expect(await secretsAt(NOW + DAY)).toEqual([second.signing_secret, first.signing_secret]);
    expect(await secretsAt(NOW + 1 + DAY)).toEqual([second.signing_secret]);
    expect(await webhooks.find(ACCOUNT, id, NOW + 1 + DAY)).toMatchObject({ previousSecretUntil: undefined });
  });

  test('receive nothing while disabled, and waiting deliveries are discarded', async () => {
    const { fixture, webhooks } = await start(open);
    const { webhook_id: id } = await addWebhook(webhooks, ACCOUNT, target, NOW);
    await fixture.emit(NOW);
    await setEnabled(webhooks, ACCOUNT, id, false, NOW + 1);
    await fixture.emit(NOW);
    const [delivery, ...more] = await webhooks.deliveries(ACCOUNT, { limit: 10 });
    expect(more).toEqual([]);
    expect(delivery).toMatchObject({ state: 'given-up', lastError: 'the endpoint is disabled' });
    await expect(sendAgain(webhooks, ACCOUNT, delivery!.id, NOW)).rejects.toMatchObject({ code: 'conflict' });
    await setEnabled(webhooks, ACCOUNT, id, true, NOW + 2);
    await fixture.emit(NOW);
    expect((await webhooks.deliveries(ACCOUNT, { limit: 10 })).filter(({ state }) => state === 'waiting')).toHaveLength(
      1,
    );
    await sendAgain(webhooks, ACCOUNT, delivery!.id, NOW + 3);
    expect(await webhooks.delivery(ACCOUNT, delivery!.id)).toMatchObject({ state: 'waiting', nextAttemptAt: NOW + 3 });
  });

  test('log each attempt with request and response, and send again for another day', async () => {
    const { fixture, webhooks, outbox } = await start(open);
    const { webhook_id: id } = await addWebhook(webhooks, ACCOUNT, target, NOW);
    await fixture.emit(NOW);
    const claim = async (now: number) =>
      (await outbox.claim({ endpointId: id, limit: 1, now, leasedUntil: now + 60 }))[0]!;
    const tried: AttemptRecord = {
      startedAt: NOW,
      duration: 12,
      url: target.url,
      headers: { 'X-Service-Signature': 'sha256=00' },
      outcome: { kind: 'failed', reason: 'ECONNREFUSED' },
    };
    const answered: AttemptRecord = {
      ...tried,
      startedAt: NOW + 5,
      outcome: { kind: 'answered', status: 200, answer: 'thanks ✓' },
    };
    const first = await claim(NOW);
    await outbox.settle(first, { kind: 'retry', at: NOW + 5, failure: { reason: 'ECONNREFUSED' } }, tried);
    await outbox.settle(await claim(NOW + 5), { kind: 'delivered', at: NOW + 6, status: 200 }, answered);
    const delivered = { state: 'delivered', attempts: 2, deliveredAt: NOW + 6, nextAttemptAt: undefined };
    expect(await webhooks.delivery(ACCOUNT, first.id)).toMatchObject({
      ...delivered,
      body: first.body,
      tries: [tried, answered],
    });

    await sendAgain(webhooks, ACCOUNT, first.id, NOW + 10 * DAY);
    expect(await webhooks.delivery(ACCOUNT, first.id)).toMatchObject({ state: 'waiting', deliveredAt: undefined });
    const again = await claim(NOW + 10 * DAY);
    expect(again).toMatchObject({ id: first.id, body: first.body, attempts: 1, triedFrom: NOW + 10 * DAY });
    await outbox.settle(again, { kind: 'delivered', at: NOW + 10 * DAY, status: 200 }, answered);
    expect((await webhooks.delivery(ACCOUNT, first.id))?.tries).toHaveLength(3);
  });

  test('get a test delivery, whatever they subscribed to', async () => {
    const { fixture, webhooks } = await start(open);
    const hook = { ...target, events: ['backup.failed'] };
    const { webhook_id: id } = await addWebhook(webhooks, ACCOUNT, hook, NOW);
    await addWebhook(webhooks, ACCOUNT, target, NOW);
    const delivery = await sendTest(webhooks, ACCOUNT, id, NOW + 5);
    const rows = await fixture.deliveries();
    expect(rows).toMatchObject([{ id: delivery, endpoint_id: id, event: 'webhook.test', next_attempt_at: NOW + 5 }]);
    expect(JSON.parse(rows[0]!.body)).toEqual({
      event: 'webhook.test',
      timestamp: new Date(NOW + 5).toISOString(),
      delivery_id: delivery,
      account_id: ACCOUNT,
      data: { webhook_id: id, sent_at: new Date(NOW + 5).toISOString() },
    });
    const code = (name: string) => expect.objectContaining({ code: name });
    await expect(sendTest(webhooks, OTHER_ACCOUNT, id, NOW)).rejects.toEqual(code('not_found'));
    await webhooks.disable(ACCOUNT, id, NOW);
    await expect(sendTest(webhooks, ACCOUNT, id, NOW)).rejects.toEqual(code('conflict'));
  });

  test('send a range of deliveries again, all or those that were given up', async () => {
    const { sql, fixture, webhooks } = await start(open);
    const { webhook_id: id } = await addWebhook(webhooks, ACCOUNT, target, 0);
    const { webhook_id: other } = await addWebhook(webhooks, ACCOUNT, target, 0);
    for (const time of [100, 200, 300, 400]) await fixture.emit(time);
    const set = (to: { delivered_at?: number; next_attempt_at?: number | null }, at: number) =>
      sql.queries.updateTable('webhook_delivery').set(to).where('created_at', '=', at).execute();
    await set({ next_attempt_at: null, delivered_at: 150 }, 100);
    await set({ next_attempt_at: null }, 200);
    await set({ next_attempt_at: null, delivered_at: 350 }, 300);
    await set({ next_attempt_at: 900 }, 400);
    const due = async () =>
      (await fixture.deliveries(id)).filter((row) => row.next_attempt_at === NOW).map((row) => row.created_at);
    const range = { from: 100, to: 300, onlyGivenUp: true };
    expect(await replay(webhooks, ACCOUNT, id, range, NOW)).toBe(1);
    expect(await due()).toEqual([200]);
    expect(await replay(webhooks, ACCOUNT, id, { ...range, from: 101, onlyGivenUp: false }, NOW)).toBe(2);
    expect(await due()).toEqual([200, 300]);
    expect((await webhooks.deliveries(ACCOUNT, { endpointId: id, limit: 9 })).map(({ state }) => state)).toEqual([
      'waiting',
      'waiting',
      'waiting',
      'delivered',
    ]);
    expect((await fixture.deliveries(other)).filter((row) => row.next_attempt_at === NOW)).toEqual([]);
    const code = (name: string) => expect.objectContaining({ code: name });
    await expect(replay(webhooks, ACCOUNT, id, { ...range, to: 99 }, NOW)).rejects.toEqual(code('unprocessable'));
    await expect(replay(webhooks, OTHER_ACCOUNT, id, range, NOW)).rejects.toEqual(code('not_found'));
    await webhooks.disable(ACCOUNT, id, NOW);
    await expect(replay(webhooks, ACCOUNT, id, range, NOW)).rejects.toEqual(code('conflict'));
  });

  test('list deliveries in pages, newest first', async () => {
    const { fixture, webhooks } = await start(open);
    for (const id of ['a', 'b']) await fixture.addEndpoint(id);
    for (let time = 0; time < 5; time += 1) await fixture.emit(NOW + Math.floor(time / 2));
    const all = await webhooks.deliveries(ACCOUNT, { limit: 100 });
    expect(all).toHaveLength(10);
    const paged = [];
    let after: (typeof all)[number] | undefined;
    do {
      const page = await webhooks.deliveries(ACCOUNT, { limit: 3, ...(after && { after }) });
      paged.push(...page);
      after = page.length === 3 ? page.at(-1) : undefined;
    } while (after);
    expect(paged).toEqual(all);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all.map(({ createdAt }) => createdAt).toSorted((a, b) => b - a),
    );
    const ofOne = await webhooks.deliveries(ACCOUNT, { endpointId: 'b', limit: 100 });
    expect(ofOne.map(({ endpointId }) => endpointId)).toEqual(['b', 'b', 'b', 'b', 'b']);
  });
});
