import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { billingSecret } from '../../../../src/service/billing/billing-secret.ts';
import { chunk, file, TestService } from '../../../unit/service/harness.ts';

const PATH = '/functions/v1/billing/notices';
const HOUR = 3_600_000;

/** A service and a payment provider with its secret. */
async function start() {
  const service = await TestService.open();
  const secret = await billingSecret(service.service.context.metadata);
  const sign = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const bodyOf = (event: string, data: object | undefined, changes: object = {}) =>
    JSON.stringify({
      event,
      timestamp: new Date(service.clock.now()).toISOString(),
      delivery_id: 'evt_1',
      account_id: service.accountId,
      ...(data === undefined ? {} : { data }),
      ...changes,
    });
  const post = (body: string, signature = sign(body)) =>
    service.call('POST', PATH, undefined, body, { 'x-service-signature': signature });
  const plan = () => service.service.context.metadata.plans.find(service.accountId);
  return { service, sign, bodyOf, post, plan };
}

test('applies each notice of a provider about plans and payments once', async () => {
  const { bodyOf, post, plan, service } = await start();
  const changed = bodyOf('plan.changed', { plan: 'team', limit_bytes: 5000 });
  expect(await post(changed)).toMatchObject({ status: 200, body: { status: 'applied' } });
  expect(await post(changed)).toMatchObject({ status: 200, body: { status: 'repeated' } });
  expect(await plan()).toMatchObject({ name: 'team', limit: 5000, paymentFailedAt: undefined });
  const failed = bodyOf('payment.failed', { reason: 'card_declined' }, { delivery_id: 'evt_2' });
  expect(await post(failed)).toMatchObject({ status: 200, body: { status: 'applied' } });
  expect(await plan()).toMatchObject({ paymentFailedAt: service.clock.now() });
  service.clock.advance(HOUR);
  expect(await post(bodyOf('payment.succeeded', undefined, { delivery_id: 'evt_3' }))).toMatchObject({ status: 200 });
  expect(await plan()).toMatchObject({ paymentFailedAt: undefined });
});

test('rejects a notice with a missing or wrong signature', async () => {
  const { bodyOf, post, plan, sign } = await start();
  const body = bodyOf('plan.changed', { plan: 'free', limit_bytes: null });
  const good = sign(body);
  const other = createHmac('sha256', 'whsec_other').update(body).digest('hex');
  const wrong = ['', 'sha256=', good.slice(0, -1), `${good}0`, good.toUpperCase(), `sha256=${other}`];
  for (const signature of wrong) {
    expect(await post(body, signature)).toMatchObject({ status: 401, body: { code: 'signature_invalid' } });
  }
  expect(await post(`${body} `, good)).toMatchObject({ status: 401 });
  expect(await post('x'.repeat(70_000), good)).toMatchObject({ status: 413 });
  expect(await plan()).toBeUndefined();
});

test('reads nothing of a notice without a signature, and waits 30 s for one', async () => {
  const { service, sign } = await start();
  let pulls = 0;
  const { promise: awaited, resolve: onAwaited } = Promise.withResolvers<void>();
  const pull = (): void => {
    pulls += 1;
    onAwaited();
  };
  const endless = () => new ReadableStream({ pull }, { highWaterMark: 0 });
  for (const signature of ['', 'sha256=', `sha256=${'A'.repeat(64)}`]) {
    const headers = { 'x-service-signature': signature };
    expect((await service.call('POST', PATH, undefined, endless(), headers)).status).toBe(401);
  }
  expect(pulls).toBe(0);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = service.call('POST', PATH, undefined, endless(), { 'x-service-signature': sign('') });
  await awaited;
  vi.advanceTimersByTime(30_000);
  expect(await answer).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
});

test('rejects a replayed notice, now or later', async () => {
  const { bodyOf, post, plan, service } = await start();
  const upgrade = bodyOf('plan.changed', { plan: 'large', limit_bytes: 9000 });
  await post(upgrade);
  service.clock.advance(HOUR);
  await post(bodyOf('plan.changed', { plan: 'small', limit_bytes: 10 }, { delivery_id: 'evt_2' }));
  for (let hour = 0; hour < 80; hour += 8) {
    expect((await post(upgrade)).body).toMatchObject(hour < 23 ? { status: 'repeated' } : { code: 'unprocessable' });
    service.service.keepHouse();
    await service.service.tidy();
    service.clock.advance(8 * HOUR);
  }
  expect(await plan()).toMatchObject({ name: 'small', limit: 10 });
});

test('reports an invalid signed notice', async () => {
  const { bodyOf, post, service } = await start();
  const ahead = new Date(service.clock.now() + HOUR).toISOString();
  const cases: readonly (readonly [string, number])[] = [
    ['{', 400],
    [bodyOf('plan.exploded', {}), 400],
    [bodyOf('plan.changed', { plan: 'team' }), 400],
    [bodyOf('plan.changed', { plan: 'team', limit_bytes: -1 }), 400],
    [bodyOf('payment.succeeded', undefined, { timestamp: ahead }), 422],
    [bodyOf('payment.succeeded', undefined, { account_id: 'acc_unknown' }), 404],
  ];
  for (const [body, status] of cases) expect([body, (await post(body)).status]).toEqual([body, status]);
});

test('sends a usage event when a run or housekeeping crosses 80 % of the limit', async () => {
  const { service } = await start();
  const { plans, webhooks } = service.service.context.metadata;
  const { queries } = service.openDatabase();
  const endpoint = { id: 'whk', accountId: service.accountId, url: 'https://a.example/', secret: 's', now: 0 };
  await webhooks.add({ ...endpoint, events: ['billing.approaching_limit'] });
  const deliveryCount = async () => (await webhooks.deliveries(service.accountId, { limit: 10 })).length;
  await plans.set(service.accountId, { name: 'team', limit: 10_000 }, service.clock.now());
  const device = await service.register();
  await service.backUp(device, 'docs', [file('/a', [chunk(7_900)])]);
  expect(await deliveryCount()).toBe(0);
  await service.backUp(device, 'docs', [file('/a', [chunk(100)])]);
  expect(await deliveryCount()).toBe(1);
  await service.backUp(device, 'docs', [file('/a', [chunk(10)])]);
  expect(await deliveryCount()).toBe(1);
  // Changes outside of runs are detected within the hour.
  const use = async (bytes: number) => {
    await queries.updateTable('account').set({ storage_used: bytes }).execute();
    service.service.keepHouse();
    await service.service.tidy();
  };
  await use(100);
  await use(9_000);
  expect(await deliveryCount()).toBe(2);
});
