import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { webhookBody } from '../../../src/protocol/webhooks.ts';
import { Workplace, type Running } from '../e2e/workplace.ts';
import { startReceiver } from '../service/webhooks/receiver.ts';

describe('webhooks and plans at the command line', () => {
  let workplace: Workplace;
  let service: Running;
  let url: string;
  let owner: readonly string[];

  beforeEach(async () => {
    workplace = new Workplace();
    const data = workplace.path('data');
    owner = ['--data', data, '--email', 'anna@example.org'];
    const password = workplace.write('password', 'correct horse battery staple\n');
    await workplace.json(['service', 'account', 'create', ...owner, '--password-file', password]);
    service = workplace.start([
      'service',
      'start',
      '--data',
      data,
      '--port',
      '0',
      '--allow-private-webhooks',
      '--json',
    ]);
    const [line] = (await once(createInterface(service.child.stdout!), 'line')) as [string];
    ({ url } = JSON.parse(line) as { url: string });
  });
  afterEach(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    workplace[Symbol.dispose]();
  });

  const webhook = (...words: readonly string[]) => workplace.json(['service', 'webhook', ...words, ...owner]);
  const plan = (...words: readonly string[]) => workplace.json(['service', 'plan', ...words, ...owner]);
  const signed = (secret: string, body: Buffer): string =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  test('the running service delivers an event, logs it and sends it again; the secret is replaced', async () => {
    let arrived = Promise.withResolvers<void>();
    let answer = 200;
    await using receiver = await startReceiver((_request, response) => {
      response.writeHead(answer).end('thank you');
      arrived.resolve();
      return undefined;
    });
    const { webhook_id: id, signing_secret: secret } = await webhook('add', '--url', receiver.url);
    expect(await webhook('list')).toMatchObject({
      webhooks: [{ webhook_id: id, url: receiver.url, events: [], disabled: null, previous_secret_until: null }],
    });
    expect(await plan('set', 'team', '--limit', '500G')).toMatchObject({ plan: 'team', limit_bytes: 500_000_000_000 });
    await arrived.promise;
    const [request] = receiver.requests;
    expect(request?.headers['x-service-signature']).toBe(signed(secret as string, request!.body));
    const { delivery_id: delivery } = webhookBody.parse(JSON.parse(request!.body.toString('utf8')));

    const log = async () => webhook('delivery', delivery);
    let logged = await log();
    // The response is recorded just after the receiver sent it.
    while (logged['state'] !== 'delivered') logged = await log();
    expect(logged).toMatchObject({
      webhook_id: id,
      event: 'billing.plan_changed',
      attempts: 1,
      body: request!.body.toString('utf8'),
      tries: [{ request: { url: receiver.url }, answer: { status: 200, body: 'thank you' }, error: null }],
    });
    expect(await webhook('deliveries')).toMatchObject({ deliveries: [{ delivery_id: delivery, state: 'delivered' }] });

    const { delivery_id: tested } = await webhook('test', id as string);
    while (receiver.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(receiver.requests[1]!.headers['x-service-event']).toBe('webhook.test');
    expect(receiver.requests[1]!.headers['x-service-delivery']).toBe(tested);
    const since = ['--from', new Date(Date.now() - 3_600_000).toISOString()];
    expect(await webhook('replay', id as string, ...since, '--given-up')).toMatchObject({ deliveries: 0 });
    const wrong = ['service', 'webhook', 'replay', id as string, '--from', 'yesterday', ...owner];
    expect(await workplace.json(wrong, 2)).toMatchObject({ error: { code: 'usage' } });

    // The receiver still has only the old secret.
    const { signing_secret: rotated } = await webhook('rotate', id as string);
    answer = 401;
    arrived = Promise.withResolvers<void>();
    await webhook('send-again', delivery);
    await arrived.promise;
    while (receiver.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    const again = receiver.requests.slice(2, 4);
    expect(again.map(({ body }) => body)).toEqual([request!.body, request!.body]);
    expect(again.map(({ headers }) => headers['x-service-signature'])).toEqual([
      signed(rotated as string, request!.body),
      signed(secret as string, request!.body),
    ]);

    expect(await webhook('disable', id as string)).toEqual({ webhook_id: id, enabled: false });
    const refused = ['service', 'webhook', 'send-again', delivery, ...owner];
    expect(await workplace.json(refused, 2)).toMatchObject({ error: { code: 'usage' } });
    expect(await webhook('enable', id as string)).toEqual({ webhook_id: id, enabled: true });
    const other = ['--url', `${receiver.url}/other`, '--event', 'backup.failed'];
    await webhook('change', id as string, ...other);
    expect(await webhook('list')).toMatchObject({
      webhooks: [{ url: `${receiver.url}/other`, events: ['backup.failed'] }],
    });
    expect(await webhook('remove', id as string)).toEqual({ removed: id });
    expect(await webhook('list')).toEqual({ webhooks: [] });
  });

  test('sets and shows a plan, also through a payment provider', async () => {
    expect(await plan('show')).toMatchObject({ plan: null, limit_bytes: null, storage_used_bytes: 0 });
    expect(await plan('set', 'team', '--limit', '1.5 TiB')).toMatchObject({ limit_bytes: 1.5 * 2 ** 40 });
    await plan('set', 'team', '--limit', '2T');
    expect(await plan('payment-failed', '--reason', 'card_declined', '--amount', '19.90', '--currency', 'EUR')).toEqual(
      {
        account_id: expect.any(String),
        plan: 'team',
        limit_bytes: 2_000_000_000_000,
        storage_used_bytes: 0,
        payment_failed: expect.any(String),
      },
    );
    const { account_id: account } = await plan('paid');
    expect(await workplace.json(['service', 'alarms', ...owner])).toEqual({ alarms: [] });
    expect(await plan('show')).toMatchObject({ payment_failed: null });

    const secret = ['service', 'plan', 'provider-secret', '--data', workplace.path('data')];
    const { provider_secret: key } = await workplace.json(secret);
    const notice = Buffer.from(
      JSON.stringify({
        event: 'plan.changed',
        timestamp: new Date().toISOString(),
        delivery_id: 'evt_1',
        account_id: account,
        data: { plan: 'free', limit_bytes: null },
      }),
    );
    const headers = { 'X-Service-Signature': signed(key as string, notice) };
    const answer = await fetch(`${url}/functions/v1/billing/notices`, { method: 'POST', headers, body: notice });
    expect(await answer.json()).toEqual({ status: 'applied' });
    expect(await plan('show')).toMatchObject({ plan: 'free', limit_bytes: null });
    for (const limit of ['0', '-1', 'much', '99999999999999T']) {
      const wrong = ['service', 'plan', 'set', 'x', '--limit', limit, ...owner];
      expect(await workplace.json(wrong, 2)).toMatchObject({ error: { code: 'usage' } });
    }
  });
});
