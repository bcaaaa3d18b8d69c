import { expect, test } from 'vitest';
import { LARGEST_PACK, packIndex, readPackIndex } from '../../../../src/protocol/bodies/blob-pack.ts';
import { revokeDevice } from '../../../../src/service/devices/devices.ts';
import { chunk, file, TestService } from '../harness.ts';
import type { Answer, TestChunk, TestDevice } from '../harness.ts';

function digestOf({ hash }: TestChunk): Buffer {
  return Buffer.from(hash.slice('sha256:'.length), 'hex');
}

function packOf(chunks: readonly TestChunk[]): Buffer {
  const entries = chunks.map((one) => ({ digest: digestOf(one), bytes: one.blob.length, size: one.size }));
  return Buffer.concat([packIndex(entries), ...chunks.map(({ blob }) => blob)]);
}

async function open() {
  const service = await TestService.open();
  const device = await service.register();
  const chunks = ['a', 'bb', 'ccc', 'dddd'].map((text) => chunk(text));
  const files = chunks.map((one, index) => file(`/home/anna/${index}`, [one]));
  const init = await service.init(device, 'documents', files);
  const { session_id: sessionId } = init.body as { session_id: string };
  const address = await service.post('/functions/v1/backup/pack', device.token, { session_id: sessionId });
  return { service, device, chunks, sessionId, url: address.body.url as string, address };
}

function send(service: TestService, url: string, pack: Uint8Array, headers = {}): Promise<Answer> {
  return service.call('POST', url, undefined, pack, { 'content-length': String(pack.length), ...headers });
}

async function restoreSession(service: TestService, device: TestDevice): Promise<string> {
  const manifest = await service.manifest(device, 'documents');
  const body = { restore_session_id: manifest.body.restore_session_id as string };
  return (await service.post('/functions/v1/restore/pack', device.token, body)).body.url as string;
}

test('uploads and downloads many blobs at a time', async () => {
  const { service, device, chunks, sessionId, url, address } = await open();
  expect(address).toMatchObject({ status: 200, body: { expires_in: 900 } });
  const bytes = chunks.reduce((sum, { blob }) => sum + blob.length, 0);
  expect(await send(service, url, packOf(chunks))).toMatchObject({
    status: 200,
    body: { blobs: 4, bytes, plaintext_bytes: 10 },
  });
  expect(await send(service, url, packOf(chunks))).toMatchObject({
    status: 200,
    body: { blobs: 0, bytes: 0, plaintext_bytes: 0 },
  });
  expect((await service.complete(device, sessionId)).status).toBe(200);

  const from = await restoreSession(service, device);
  const wanted = [chunks[2]!, chunks[0]!];
  const answer = await send(
    service,
    from,
    packIndex(wanted.map((one) => ({ digest: digestOf(one), bytes: 0, size: 0 }))),
  );
  expect(answer.status).toBe(200);
  const sent = wanted.map((one) => ({ digest: digestOf(one), bytes: one.blob.length, size: 0 }));
  expect(answer.body).toEqual(Buffer.concat([packIndex(sent), ...wanted.map(({ blob }) => blob)]));
});

test('returns the other blobs of a pack if one is missing', async () => {
  const { service, device, chunks, sessionId, url } = await open();
  await send(service, url, packOf(chunks));
  await service.complete(device, sessionId);
  const from = await restoreSession(service, device);
  const { metadata } = service.service.context;
  const account = await metadata.accounts.firstAccount();
  const [row] = await metadata.chunks.find(account!.number, [digestOf(chunks[1]!)]);
  await metadata.chunks.markLost([row!.id]);
  const answer = await send(
    service,
    from,
    packIndex(chunks.map((one) => ({ digest: digestOf(one), bytes: 0, size: 0 }))),
  );
  const index = readPackIndex(answer.body as Buffer)!;
  expect(index.entries.map(({ bytes }) => bytes)).toEqual([29, 0, 31, 32]);
  expect((answer.body as Buffer).length).toBe(index.length + 29 + 31 + 32);
});

test('responds only after every blob is durable', async () => {
  const { service, device, chunks, sessionId, url } = await open();
  await send(service, url, packOf(chunks));
  const { metadata } = service.service.context;
  const account = await metadata.accounts.firstAccount();
  const rows = await metadata.chunks.find(account!.number, chunks.map(digestOf));
  expect(rows.map((row) => row?.size)).toEqual([1, 2, 3, 4]);
  expect((await service.complete(device, sessionId)).status).toBe(200);
});

test.each([
  ['another session', (url: string) => url.replace(/(packs.backup.)[^?]+/, '$1other')],
  ['a later end', (url: string) => url.replace(/expires=(\d+)/, (_, seconds) => `expires=${Number(seconds) + 1}`)],
  ['another purpose', (url: string) => url.replace('/packs/backup/', '/packs/restore/')],
  ['no signature', (url: string) => url.replace(/&signature=.*/, '')],
])('refuses a URL that was changed to %s', async (_, change) => {
  const { service, chunks, url } = await open();
  const changed = change(url);
  expect(changed).not.toBe(url);
  expect(await send(service, changed, packOf(chunks))).toMatchObject({ status: 403, body: { code: 'url_invalid' } });
});

test('accepts a URL for fifteen minutes', async () => {
  const { service, chunks, url } = await open();
  service.clock.advance(901_000);
  expect((await send(service, url, packOf(chunks))).status).toBe(403);
});

test.each([
  ['cut off', (pack: Buffer) => pack.subarray(0, -1)],
  ['too long', (pack: Buffer) => Buffer.concat([pack, Buffer.from('x')])],
  ['without its index', (pack: Buffer) => pack.subarray(0, 40)],
  ['empty', () => Buffer.alloc(0)],
])('refuses a pack that is %s, and stores nothing', async (_, change) => {
  const { service, device, chunks, sessionId, url } = await open();
  expect((await send(service, url, change(packOf(chunks)))).status).toBe(400);
  expect((await service.complete(device, sessionId)).status).toBe(409);
});

test('refuses too much at once, and a missing length', async () => {
  const { service, chunks, url } = await open();
  const pack = packOf(chunks);
  expect((await send(service, url, pack, { 'content-length': String(LARGEST_PACK + 1) })).status).toBe(413);
  expect((await service.call('POST', url, undefined, pack)).status).toBe(400);
});

test('refuses chunks that the session does not need, and wrong lengths', async () => {
  const { service, chunks, url } = await open();
  expect(await send(service, url, packOf([chunks[0]!, chunk('other')]))).toMatchObject({
    status: 422,
    body: { code: 'chunk_not_in_session' },
  });
  const wrong = { ...chunks[0]!, blob: Buffer.alloc(100) };
  expect(await send(service, url, packOf([wrong]))).toMatchObject({ body: { code: 'chunk_size_mismatch' } });
});

test('refuses packs of an ended session, and URLs to others than its owner', async () => {
  const { service, device, chunks, sessionId, url } = await open();
  await send(service, url, packOf(chunks));
  await service.complete(device, sessionId);
  expect((await send(service, url, packOf(chunks))).status).toBe(409);
  const other = await service.register();
  const asked = { session_id: sessionId };
  expect((await service.post('/functions/v1/backup/pack', other.token, asked)).status).toBe(403);
  expect((await service.post('/functions/v1/backup/pack', undefined, asked)).status).toBe(401);
});

test('accepts packs of a waiting session', async () => {
  const { service, device } = await open();
  const early = (await service.openSession(device, 'other')).body as { session_id: string };
  const address = await service.post('/functions/v1/backup/pack', device.token, early);
  const pack = packOf([chunk('early')]);
  expect(await send(service, address.body.url as string, pack)).toMatchObject({ status: 200, body: { blobs: 1 } });
});

test('rejects packs of a device that was revoked after it received the addresses', async () => {
  const { service, device, chunks, sessionId, url } = await open();
  await send(service, url, packOf(chunks));
  await service.complete(device, sessionId);
  const from = await restoreSession(service, device);
  const later = await service.openSession(device, 'later');
  const { body } = await service.post('/functions/v1/backup/pack', device.token, later.body);
  const asked = packIndex([{ digest: digestOf(chunks[0]!), bytes: 0, size: 0 }]);
  expect((await send(service, from, asked)).status).toBe(200);
  const { metadata } = service.service.context;
  // In another process.
  await metadata.devices.revoke(device.id, service.clock.now());
  service.clock.advance(30_000);
  const refused = { status: 401, body: { code: 'token_invalid' } };
  expect(await send(service, from, asked)).toMatchObject(refused);
  expect(await send(service, body.url as string, packOf([chunk('late')]))).toMatchObject(refused);
});

test('rejects a pack whose device is revoked while it arrives', async () => {
  const { service, device, url } = await open();
  const pack = packOf([chunk('late')]);
  const { promise: awaited, resolve: onAwaited } = Promise.withResolvers<void>();
  const { promise: revoked, resolve: onRevoked } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        onAwaited();
        await revoked;
        controller.enqueue(pack);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const answer = service.call('POST', url, undefined, body, { 'content-length': String(pack.length) });
  await awaited;
  await revokeDevice(service.service.context, service.accountId, device.id);
  onRevoked();
  expect(await answer).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
});

test('rejects a pack address that names somebody else', async () => {
  const { service, url, device } = await open();
  const other = await service.register();
  const changed = await send(service, url.replace(device.id, other.id), packOf([chunk('x')]));
  expect(changed).toMatchObject({ status: 403, body: { code: 'url_invalid' } });
});

test('holds no memory for packs that have ended', async () => {
  const { service, device, chunks, sessionId, url } = await open();
  const { packMemory } = service.service.context;
  await send(service, url, packOf(chunks));
  expect((await send(service, url, packOf(chunks).subarray(0, -1))).status).toBe(400);
  await service.complete(device, sessionId);
  const from = await restoreSession(service, device);
  await send(service, from, packIndex([{ digest: digestOf(chunks[0]!), bytes: 0, size: 0 }]));
  // All of the account's share is free again.
  const whole = packMemory.lease(service.accountId);
  for (let pack = 0; pack < 16; pack += 1) packMemory.lease(service.accountId).reserve(LARGEST_PACK);
  expect(() => whole.reserve(1)).toThrow(expect.objectContaining({ code: 'unavailable' }));
});

test('leaves the others of an account memory for packs, whatever one person holds', async () => {
  const { service, device, chunks, url } = await open();
  const other = await service.register();
  const files = chunks.map((one, index) => file(`/home/ben/${index}`, [one]));
  const init = await service.init(other, 'documents', files);
  const body = { session_id: init.body.session_id as string };
  const ofOther = (await service.post('/functions/v1/backup/pack', other.token, body)).body.url as string;

  // As many bodies as the service lets them send, none of which ends.
  const held = hold(service, device.id);
  expect(held).toBe(8);
  expect(await send(service, url, packOf(chunks))).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(await send(service, ofOther, packOf(chunks))).toMatchObject({ status: 200, body: { blobs: 4 } });
  expect((await service.complete(other, body.session_id)).status).toBe(200);
  const from = await restoreSession(service, other);
  const wanted = packIndex([{ digest: digestOf(chunks[0]!), bytes: 0, size: 0 }]);
  expect((await send(service, from, wanted)).status).toBe(200);
});

/** Takes the memory of as many whole packs as a person gets. */
function hold(service: TestService, person: string): number {
  for (let count = 0; ; count += 1) {
    try {
      service.service.context.packMemory.lease(service.accountId, person).reserve(LARGEST_PACK);
    } catch (error) {
      expect(error).toMatchObject({ code: 'unavailable' });
      return count;
    }
  }
}
