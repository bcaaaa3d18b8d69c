import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/service/webhooks/outbox.ts';
import { createSender } from '../../../src/service/webhooks/sender.ts';
import { startReceiver } from './receiver.ts';

const send = createSender({ allowPrivate: true });
const never = new AbortController().signal;

function delivery(url: string, body = '{"event":"backup.started"}'): Delivery {
  const event = 'backup.started';
  const times = { createdAt: 0, attempts: 1, leasedUntil: 60_000 };
  return { id: 'delivery-1', endpointId: 'endpoint-1', url, secret: 'whsec_test', event, body, ...times };
}

describe('the sender', () => {
  it('posts the stored bytes with the headers of the interface', async () => {
    await using receiver = await startReceiver(() => 200);
    const body = `{ "event":"backup.started" ,"name":"Grüße 世界 🎉", "escaped":"\\u00e9", "n":1.50 }\n`;
    const result = await send(delivery(`${receiver.url}?tenant=a%20b`, body), never);

    expect(result).toEqual({ kind: 'answered', status: 200 });
    const [request] = receiver.requests;
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

  it.each([200, 201, 204, 299, 400, 401, 404, 410, 429, 500, 503])('reports a %i', async (status) => {
    await using receiver = await startReceiver(() => status);
    expect(await send(delivery(receiver.url), never)).toEqual({ kind: 'answered', status });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    await using target = await startReceiver(() => 200);
    await using receiver = await startReceiver((_request, response) => {
      response.writeHead(status, { Location: target.url }).end();
      return undefined;
    });
    expect(await send(delivery(receiver.url), never)).toEqual({ kind: 'answered', status });
    expect(target.connections).toBe(0);
  });

  it('opens a connection for each try', async () => {
    await using receiver = await startReceiver(() => 200);
    await send(delivery(receiver.url), never);
    await send(delivery(receiver.url), never);
    expect(receiver.connections).toBe(2);
  });

  it('goes by the status when the answer is huge or breaks off', async () => {
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
    expect(await send(delivery(huge.url), never)).toEqual({ kind: 'answered', status: 200 });
    expect(await send(delivery(broken.url), never)).toEqual({ kind: 'answered', status: 200 });
  });

  it('says why there was no answer', async () => {
    const dropping = createServer((socket) => socket.destroy());
    const babbling = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const ports = await Promise.all([dropping, babbling].map((server) => listen(server)));
    const reasons = await Promise.all([
      send(delivery(`http://127.0.0.1:${ports[0]}/`), never),
      send(delivery(`http://127.0.0.1:${ports[1]}/`), never),
      send(delivery(`https://127.0.0.1:${ports[1]}/`), never),
    ]);
    for (const server of [dropping, babbling]) server.close();
    const refused = await send(delivery(`http://127.0.0.1:${ports[0]}/`), never);

    const named = [...reasons, refused].map((result) => (result.kind === 'failed' ? result.reason : result));
    expect(named).toEqual([
      expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/),
      expect.stringMatching(/^HPE_|^HTTPParserError$/),
      expect.stringMatching(/SSL/),
      'ECONNREFUSED',
    ]);
  });

  // The limit is below the 10 seconds after which undici gives up a connection of itself.
  it('ends a try when its signal is aborted, whatever it waits for', { timeout: 8000 }, async () => {
    const silent = createServer();
    const port = await listen(silent);
    await using slow = await startReceiver(() => undefined);
    const unresolved = createSender({ allowPrivate: true, resolve: () => Promise.withResolvers<never>().promise });
    const waits = [
      send(delivery(`http://127.0.0.1:${port}/`), abortedBy(once(silent))),
      send(delivery(`https://127.0.0.1:${port}/`), abortedBy(once(silent))),
      send(delivery(slow.url), AbortSignal.timeout(50)),
      unresolved(delivery('http://receiver.example/'), AbortSignal.timeout(50)),
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
