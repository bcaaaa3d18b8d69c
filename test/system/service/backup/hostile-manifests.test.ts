import { zstdCompressSync, gzipSync } from 'node:zlib';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ByteBudget } from '../../../../src/service/request/byte-budget.ts';
import { bodyBytes } from '../../../../src/service/http/body.ts';
import { inSlices } from '../../../../src/service/backup/manifest/manifest-slices.ts';
import { TestService } from '../../../unit/service/harness.ts';

const INIT = '/functions/v1/backup/init';
const JSON_TYPE = { 'content-type': 'application/json' };

async function opened() {
  const service = await TestService.open();
  const device = await service.register();
  const head = `{"device_id":"${device.id}","backup_set":"documents","files":[`;
  const init = (body: Uint8Array, headers = {}) =>
    service.call('POST', INIT, device.token, body, { ...JSON_TYPE, ...headers });
  return { service, device, head, init };
}

describe('a file with a long list', () => {
  const modified = '2026-01-01T00:00:00.000Z';

  test('of things that are no chunks is refused where the first one stands', async () => {
    const { head, init } = await opened();
    let read = 0;
    async function* endless() {
      yield Buffer.from(`${head}{"path":"/a","size":0,"modified":"${modified}","chunks":[`);
      const piece = Buffer.from('{},'.repeat(40_000));
      for (; read < 1000; read += 1) {
        await Promise.resolve();
        yield piece;
      }
    }
    const body = ReadableStream.from(endless()) as never;
    expect(await init(body)).toMatchObject({ status: 400, body: { detail: expect.stringContaining('chunks[].hash') } });
    expect(read).toBeLessThan(10);
  });

  test('needs each of its chunks, in their order', async () => {
    const { service, device, head, init } = await opened();
    const count = 2_000;
    const chunks = Array.from({ length: count }, (_, index) => {
      return { hash: `sha256:${createHash('sha256').update(`${index}`).digest('hex')}`, size: 1 };
    });
    const list = chunks.map(({ hash, size }) => JSON.stringify({ hash, size })).join(',');
    const text = `${head}{"path":"/a","chunks":[${list}],"size":${count},"modified":"${modified}"}]}`;
    const answer = await init(Buffer.from(text));
    expect(answer).toMatchObject({ status: 200, body: { chunks_to_upload: count } });
    const incomplete = await service.complete(device, answer.body.session_id);
    expect(incomplete.body.missing_chunks).toEqual(chunks.map(({ hash }) => hash));
    expect((await init(Buffer.from(text.replace(`"size":${count},`, '"size":7,')))).status).toBe(422);
  });
});

test('long lists take a bounded part of the memory, which each file returns', async () => {
  const { service, device, head, init } = await opened();
  const list = Array.from({ length: 2_000 }, (_, index) => {
    const hash = `sha256:${createHash('sha256').update(`${index}`).digest('hex')}`;
    return JSON.stringify({ hash, size: 1 });
  }).join(',');
  const file = (path: string) => `{"path":"${path}","size":2000,"modified":"2026-01-01T00:00:00Z","chunks":[${list}]}`;
  const context = service.service.context as { manifestMemory: ByteBudget };
  const limit = (bytes: number) =>
    (context.manifestMemory = new ByteBudget({ request: bytes, account: bytes, total: bytes }));
  limit(150_000);
  const five = ['/a', '/b', '/c', '/d', '/e'].map(file).join(',');
  expect((await init(Buffer.from(`${head}${five}]}`))).status).toBe(200);
  const spooled = `{"files":[${five}],"device_id":"${device.id}","backup_set":"documents"}`;
  expect((await init(Buffer.from(spooled))).status).toBe(200);
  limit(20_000);
  expect((await init(Buffer.from(`${head}${file('/a')}]}`))).status).toBe(413);
});

test.each([
  ['zstd', zstdCompressSync],
  ['gzip', gzipSync],
] as const)('a body that %s makes hundreds of times smaller is refused', async (encoding, compress) => {
  const piece = compress(Buffer.alloc(2 ** 26, ' '));
  let sent = 0;
  async function* pieces() {
    for (; sent < 40; sent += 1) {
      await Promise.resolve();
      yield piece;
    }
  }
  const body = ReadableStream.from(pieces());
  const request = new Request('http://localhost/', {
    method: 'POST',
    headers: { 'content-encoding': encoding },
    body,
    duplex: 'half',
  });
  let decoded = 0;
  const reading = (async () => {
    for await (const bytes of inSlices(bodyBytes(request))) decoded += bytes.length;
  })();
  await expect(reading).rejects.toMatchObject({ code: 'too_large' });
  expect(decoded).toBeLessThan(2 ** 30);
});

test('a manifest that is spooled takes a bounded part of the disk', async () => {
  const { service, device, init } = await opened();
  const context = service.service.context as { manifestSpool: ByteBudget };
  context.manifestSpool = new ByteBudget({ request: 200_000, account: 250_000, total: 250_000 });
  const files = `{"files":[${' '.repeat(250_000)}],"device_id":"${device.id}","backup_set":"documents"}`;
  expect(await init(Buffer.from(files))).toMatchObject({ status: 413, body: { code: 'too_large' } });
  expect(await readdir(join(service.directory, 'incoming')).catch(() => [])).toEqual([]);
  // Nothing of the first one is held any more.
  const small = `{"files":[${' '.repeat(150_000)}],"device_id":"${device.id}","backup_set":"documents"}`;
  expect((await init(Buffer.from(small))).status).toBe(200);
});

test('bytes are limited for a request, an account and the service', () => {
  const budget = new ByteBudget({ request: 10, account: 15, total: 20 });
  const first = budget.lease('a');
  first.reserve(10);
  expect(() => first.reserve(1)).toThrow('too_large');
  const second = budget.lease('a');
  expect(() => second.reserve(6)).toThrow('unavailable');
  second.reserve(5);
  const third = budget.lease('b');
  expect(() => third.reserve(6)).toThrow('unavailable');
  third.reserve(5);
  first.release(4);
  expect(() => third.reserve(5)).toThrow('unavailable');
  third.reserve(4);
  first.release();
  first.release();
  second.reserve(5);
});

test.each([
  ['/functions/v1/auth/device', { device_id: 'd'.repeat(2 ** 20), device_key: 'k', signature: 's' }],
  ['/functions/v1/auth/device', { device_id: 'd', device_key: 'k'.repeat(2 ** 20), signature: 's' }],
  ['/auth/v1/token?grant_type=password', { email: 'e'.repeat(2 ** 20), password: 'p' }],
  ['/auth/v1/token?grant_type=refresh_token', { refresh_token: 'r'.repeat(2 ** 20) }],
])('an identifier of a megabyte is refused by %s', async (path, body) => {
  const service = await TestService.open();
  expect((await service.post(path, undefined, body)).status).toBe(400);
});
