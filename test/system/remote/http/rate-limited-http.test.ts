import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { HandlerHttp } from '../../../helpers/service/handler-http.ts';
import { RateLimitedHttp } from '../../../../src/remote/http/rate-limited-http.ts';
import { UndiciHttp } from '../../../../src/remote/http/undici-http.ts';
import { seededBytes } from '../../../../bench/data-sets/seeded-bytes.ts';
import { deviceOf, backUp, restoreAll, sampleFile, strictService } from '../../../unit/remote/connections.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

/** Starts a server on the loopback. Returns its address. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A clock that sleeps, accelerated by this factor. */
function fast(times: number): Clock {
  const started = Date.now();
  return {
    now: () => started + (Date.now() - started) * times,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / times, signal),
  };
}

const RATE = 64 * 1024;

test('transfers intact data over the loopback no faster than the limit', async () => {
  const arrivals: { readonly at: number; readonly bytes: number }[] = [];
  const clock = fast(50);
  const lengths = new Set<string | undefined>();
  const url = await serving((request, response) => {
    lengths.add(request.headers['content-length']);
    request.on('data', (part: Buffer) => arrivals.push({ at: clock.now(), bytes: part.length }));
    void buffer(request).then((body) => response.end(body));
  });
  const plain = new UndiciHttp();
  onTestFinished(() => plain.close());
  // Credit accumulates from here on.
  const started = clock.now();
  const http = new RateLimitedHttp(plain, { upload: () => RATE, download: () => RATE }, clock);
  const bodies = ['a', 'b', 'c', 'd'].map((seed) => seededBytes(seed)(256 * 1024));
  const received = { bytes: 0, at: started };
  const answers = await Promise.all(
    bodies.map(async (body) => {
      const response = await http.request({ method: 'PUT', url, body });
      const parts: Uint8Array[] = [];
      for await (const part of response.body) {
        parts.push(part);
        received.bytes += part.length;
        received.at = clock.now();
        expect(received.bytes).toBeLessThanOrEqual((RATE * (received.at - started)) / 1000);
      }
      return Buffer.concat(parts);
    }),
  );
  expect(answers.map((answer, index) => answer.equals(bodies[index]!))).toEqual([true, true, true, true]);
  // A throttled body keeps its length, which object storage requires.
  expect(lengths).toEqual(new Set([String(256 * 1024)]));
  let sent = 0;
  for (const { at, bytes } of arrivals) {
    sent += bytes;
    expect(sent).toBeLessThanOrEqual((RATE * (at - started)) / 1000);
  }
  expect(sent).toBe(1024 * 1024);
});

test('counts headers, so that many small requests stay within the limit', async () => {
  const clock = new InstantClock();
  const plain = new HandlerHttp(() => Promise.resolve(new Response()));
  const http = new RateLimitedHttp(plain, { upload: () => RATE, download: () => undefined }, clock);
  const started = clock.now();
  const headers = { 'x-large': 'x'.repeat(1024) };
  for (let request = 0; request < 64; request += 1) {
    await http.request({ method: 'GET', url: 'http://service.test/', headers });
  }
  expect(clock.now() - started).toBeGreaterThanOrEqual(1000);
});

test('throttles a streamed body without buffering it', async () => {
  const clock = new InstantClock();
  let made = 0;
  const plain = new HandlerHttp(async (request) => {
    for await (const part of request.body!) {
      expect(part.length).toBeLessThanOrEqual(4096);
      expect(made).toBeLessThanOrEqual(4);
    }
    return new Response();
  });
  const http = new RateLimitedHttp(plain, { upload: () => RATE, download: () => undefined }, clock);
  async function* body(): AsyncGenerator<Uint8Array> {
    for (; made < 4; made += 1) yield await Promise.resolve(Buffer.alloc(30_000));
  }
  const started = clock.now();
  await http.request({ method: 'POST', url: 'http://service.test/', body });
  expect(clock.now() - started).toBeGreaterThanOrEqual(1800);
});

test('ends an aborted request during its pause', async () => {
  const never: Clock = {
    now: () => 0,
    sleep: (_, signal) =>
      new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
  };
  const plain = new HandlerHttp(() => Promise.resolve(new Response()));
  const http = new RateLimitedHttp(plain, { upload: () => RATE, download: () => RATE }, never);
  const abort = new AbortController();
  const asked = http.request({ method: 'GET', url: 'http://service.test/', signal: abort.signal });
  setImmediate(() => abort.abort(new Error('enough')));
  await expect(asked).rejects.toThrow('enough');
});

test('discards a response without using up the limit', async () => {
  const clock = new InstantClock();
  const parts = Readable.toWeb(Readable.from([Buffer.alloc(1_000_000)]));
  const plain = new HandlerHttp(() => Promise.resolve(new Response(parts as unknown as ReadableStream)));
  const http = new RateLimitedHttp(plain, { upload: () => undefined, download: () => RATE }, clock);
  const response = await http.request({ method: 'GET', url: 'http://service.test/' });
  const before = clock.now();
  await response.discard();
  expect(clock.now()).toBe(before);
});

test('backs up and restores within limits', async () => {
  const service = await strictService();
  const clock = new InstantClock();
  const plain = new UndiciHttp();
  onTestFinished(() => plain.close());
  const http = new RateLimitedHttp(plain, { upload: () => RATE, download: () => RATE }, clock);
  const connection = deviceOf(service, { http, clock });
  const sample = sampleFile('/a', [1, 70_000, 1_000_000]);
  const started = clock.now();
  await backUp(connection, service.device.id, { files: [sample.file], blobs: sample.blobs });
  const restored = await restoreAll(connection, service.device.id);
  expect(new Map([...restored].map(([hash, bytes]) => [hash, Buffer.from(bytes!)]))).toEqual(
    new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)])),
  );
  // Each direction may burst for a quarter of a second.
  expect(clock.now() - started).toBeGreaterThanOrEqual((2 * 1_070_000 * 1000) / RATE - 500);
  expect(service.departures).toEqual([]);
});
