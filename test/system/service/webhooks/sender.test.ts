import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createSender } from '../../../../src/service/webhooks/sender.ts';
import { deliveryTo } from './delivery.ts';
import { startReceiver } from './receiver.ts';

const send = createSender({ allowPrivate: true });
const never = new AbortController().signal;

const outcomeOf = async (...request: Parameters<typeof send>) => (await send(...request)).outcome;

describe('the sender', () => {
  test('posts the stored bytes with the headers of the interface', async () => {
    await using receiver = await startReceiver(() => 200);
    const body = `{ "event":"backup.started" ,"name":"Grüße 世界 🎉", "escaped":"\\u00e9", "n":1.50 }\n`;
    const result = await send(deliveryTo(`${receiver.url}?tenant=a%20b`, { body }), never);

    expect(result.outcome).toEqual({ kind: 'answered', status: 200, answer: '' });
    const [request] = receiver.requests;
    expect(request?.headers).toMatchObject(lowerCased(result.headers));
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/hook?tenant=a%20b');
    expect(request?.body.equals(Buffer.from(body, 'utf8'))).toBe(true);
    const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', 'whsec_test', '-r'], { input: body });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-service-signature': `sha256=${openssl.toString('latin1').slice(0, 64)}`,
      'x-service-event': 'backup.started',
      'x-service-delivery': 'delivery-1',
    });
  });

  test.each([200, 201, 204, 299, 400, 401, 404, 410, 429, 500, 503])('reports a %i', async (status) => {
    await using receiver = await startReceiver(() => status);
    expect(await outcomeOf(deliveryTo(receiver.url), never)).toEqual({ kind: 'answered', status, answer: '' });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    await using target = await startReceiver(() => 200);
    await using receiver = await startReceiver((_request, response) => {
      response.writeHead(status, { Location: target.url }).end();
      return undefined;
    });
    expect(await outcomeOf(deliveryTo(receiver.url), never)).toEqual({ kind: 'answered', status, answer: '' });
    expect(target.connections).toBe(0);
  });

  test('offers both signatures while a secret is being replaced, and only then', async () => {
    const signed = (secret: string, body: Buffer): string =>
      `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    for (const refusal of [400, 401, 403]) {
      for (const known of ['whsec_new', 'whsec_old']) {
        await using receiver = await startReceiver(({ headers, body }) =>
          headers['x-service-signature'] === signed(known, body) ? 204 : refusal,
        );
        const rotated = deliveryTo(receiver.url, { secrets: ['whsec_new', 'whsec_old'] });
        const taken = await send(rotated, never);
        expect(taken.outcome).toMatchObject({ status: 204 });
        // The log shows the accepted deliveries.
        expect(taken.headers['X-Service-Signature']).toBe(signed(known, Buffer.from(rotated.body)));
        expect(receiver.requests).toHaveLength(known === 'whsec_new' ? 1 : 2);
        const after = await outcomeOf(deliveryTo(receiver.url, { secrets: ['whsec_new'] }), never);
        expect(after).toMatchObject({ status: known === 'whsec_new' ? 204 : refusal });
      }
    }
    await using failing = await startReceiver(() => 503);
    await send(deliveryTo(failing.url, { secrets: ['whsec_new', 'whsec_old'] }), never);
    expect(failing.requests).toHaveLength(1);
  });

  test('keeps the beginning of a response, as text that any database accepts', async () => {
    await using receiver = await startReceiver((_request, response) => {
      response.end(`a\0b${'é'.repeat(2_000)}`);
      return undefined;
    });
    const outcome = await outcomeOf(deliveryTo(receiver.url), never);
    expect(outcome).toMatchObject({ answer: expect.stringMatching(/^a\uFFFDbé{510}/) });
    expect(JSON.stringify(outcome).length).toBeLessThan(1_100);
  });

  test('opens a connection for each attempt', async () => {
    await using receiver = await startReceiver(() => 200);
    await send(deliveryTo(receiver.url), never);
    await send(deliveryTo(receiver.url), never);
    expect(receiver.connections).toBe(2);
  });

  test('uses the status when the response is huge or breaks off', async () => {
    await using huge = await startReceiver((_request, response) => {
      response.writeHead(200, { 'Content-Length': 2 ** 40 });
      const fill = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', fill);
      fill();
      return undefined;
    });
    await using broken = await startReceiver((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('some', () => response.destroy());
      return undefined;
    });
    const filled = '\uFFFD'.repeat(1024);
    expect(await outcomeOf(deliveryTo(huge.url), never)).toEqual({ kind: 'answered', status: 200, answer: filled });
    expect(await outcomeOf(deliveryTo(broken.url), never)).toEqual({ kind: 'answered', status: 200, answer: 'some' });
  });

  test('reports why there was no response', async () => {
    const dropping = createServer((socket) => socket.destroy());
    const babbling = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const ports = await Promise.all([dropping, babbling].map((server) => listen(server)));
    const reasons = await Promise.all([
      outcomeOf(deliveryTo(`http://127.0.0.1:${ports[0]}/`), never),
      outcomeOf(deliveryTo(`http://127.0.0.1:${ports[1]}/`), never),
      outcomeOf(deliveryTo(`https://127.0.0.1:${ports[1]}/`), never),
    ]);
    for (const server of [dropping, babbling]) server.close();
    const refused = await outcomeOf(deliveryTo(`http://127.0.0.1:${ports[0]}/`), never);

    const named = [...reasons, refused].map((result) => (result.kind === 'failed' ? result.reason : result));
    expect(named).toEqual([
      expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/),
      expect.stringMatching(/^HPE_|^HTTPParserError$/),
      expect.stringMatching(/SSL/),
      'ECONNREFUSED',
    ]);
  });

  // The limit is below the 10 seconds after which undici itself abandons a connection.
  test('ends an attempt at any stage when its signal is aborted', { timeout: 8000 }, async () => {
    const silent = createServer();
    const port = await listen(silent);
    await using slow = await startReceiver(() => undefined);
    const unresolved = createSender({ allowPrivate: true, resolve: () => Promise.withResolvers<never>().promise });
    const waits = [
      send(deliveryTo(`http://127.0.0.1:${port}/`), abortedBy(once(silent))),
      send(deliveryTo(`https://127.0.0.1:${port}/`), abortedBy(once(silent))),
      send(deliveryTo(slow.url), AbortSignal.timeout(50)),
      unresolved(deliveryTo('http://receiver.example/'), AbortSignal.timeout(50)),
    ];
    const ends = await Promise.allSettled(waits);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    silent.close();
  });
});

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Resolves with the next connection. */
function once(server: ReturnType<typeof createServer>): Promise<unknown> {
  return new Promise((resolve) => {
    server.once('connection', resolve);
  });
}

function abortedBy(happening: Promise<unknown>): AbortSignal {
  const controller = new AbortController();
  void happening.then(() => controller.abort());
  return controller.signal;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
