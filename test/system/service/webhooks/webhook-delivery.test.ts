import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EVENT_DATA, webhookBody } from '../../../../src/protocol/webhooks.ts';
import { WebhookOutbox } from '../../../../src/service/webhooks/outbox.ts';
import { createWebhookStore } from '../../../../src/service/webhooks/webhook-store.ts';
import { addWebhook } from '../../../../src/service/webhooks/administration.ts';
import { createWebhookDelivery } from '../../../../src/service/webhooks/webhook-delivery.ts';
import { OutboxStore } from './outbox-store.ts';
import { startReceiver } from './receiver.ts';

test('delivers an event of the service to an endpoint that another process added', async () => {
  using store = new OutboxStore();
  const arrived = Promise.withResolvers<undefined>();
  await using receiver = await startReceiver(() => {
    arrived.resolve(undefined);
    return 200;
  });
  const silent = (): void => {};
  const delivery = createWebhookDelivery({
    outbox: new WebhookOutbox(store.sql),
    allowPrivate: true,
    clock: {
      now: () => Date.now(),
      sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
    },
    log: { info: silent, warn: silent, error: silent },
  });
  delivery.start();
  const target = { url: receiver.url, events: ['device.registered'] };
  const { signing_secret: secret } = await addWebhook(createWebhookStore(store.sql), 'acc_1', target, 0);
  await store.emit(Date.now());
  delivery.wake();
  await arrived.promise;
  await delivery.stop();

  const [request] = receiver.requests;
  if (request === undefined) throw new Error('nothing arrived');
  const body = webhookBody.parse(JSON.parse(request.body.toString('utf8')));
  expect(EVENT_DATA['device.registered'].parse(body.data)).toMatchObject({ device_name: 'Laptop' });
  expect(request.headers).toMatchObject({
    'x-service-event': 'device.registered',
    'x-service-delivery': body.delivery_id,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`,
  });
  expect(store.deliveries()).toMatchObject([{ id: body.delivery_id, attempts: 1, last_status: 200 }]);
});
