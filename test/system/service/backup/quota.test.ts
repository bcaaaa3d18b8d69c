import { describe, expect, test, vi } from 'vitest';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import { chunk, file, TestService } from '../../../unit/service/harness.ts';

const parts = [chunk('one'), chunk('two')];
const files = [file('/a', parts)];
const bytes = parts.reduce((sum, { blob }) => sum + blob.length, 0);

async function limited(limit: number) {
  const service = await TestService.open();
  const device = await service.register();
  const set = (most: number) =>
    service.service.context.metadata.plans.set(service.accountId, { name: 'plan', limit: most }, service.clock.now());
  await set(limit);
  return { service, device, set };
}

test('accepts uploads up to the exact limit, and nothing beyond', async () => {
  const { service, device, set } = await limited(bytes - 1);
  const refused = await service.init(device, 'documents', files);
  expect(refused).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } });
  expect(refused.body.detail).toContain(String(bytes));
  await set(bytes);
  expect((await service.backUp(device, 'documents', files)).status).toBe(200);
});

test('completes a backup of stored chunks in a full account', async () => {
  const { service, device } = await limited(bytes);
  await service.backUp(device, 'documents', files);
  expect((await service.backUp(device, 'documents', [...files, file('/b', parts)])).status).toBe(200);
  expect((await service.init(device, 'documents', [file('/c', ['new'])])).status).toBe(413);
});

test('applies to a session before its manifest, with and without presign', async () => {
  const { service, device } = await limited(bytes - 1);
  const opened = await service.openSession(device, 'documents');
  const [first] = parts;
  const ask = (chunks: typeof parts) =>
    service.post('/functions/v1/backup/presign', device.token, {
      session_id: opened.body.session_id,
      chunks: chunks.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
    });
  expect((await ask([first!])).status).toBe(200);
  expect(await ask(parts)).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } });
  const session = await service.service.context.metadata.sessions.find(opened.body.session_id);
  const blobs = parts.map(({ hash, size, blob }) => ({ hash, bytes: blob, size }));
  await expect(putBlobs(service.service.context, session!, blobs)).rejects.toMatchObject({ code: 'quota_exceeded' });
});

test('a body that ends after its address expired needs room again, and is dropped if it took as long again', async () => {
  const [first, second] = parts;
  const { service, device, set } = await limited(bytes);
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const begin = async ({ hash, blob }: (typeof parts)[0]) => {
    const request = { session_id: session, chunk_hash: hash, chunk_size: blob.length };
    const { body } = await service.post('/functions/v1/backup/presign', device.token, request);
    const awaited = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      awaited.resolve();
      await end.promise;
      controller.enqueue(new Uint8Array(blob));
      controller.close();
    };
    const stream = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    const init = { method: 'PUT', body: stream, duplex: 'half' } as RequestInit;
    const answer = service.service.fetch(new Request(String(body.upload_url), init));
    await awaited.promise;
    return async () => {
      end.resolve();
      return (await answer).status;
    };
  };
  const bodies = [await begin(first!), await begin(second!), await begin(second!)];
  service.clock.advance(901_000);
  await set(first!.blob.length);
  expect([await bodies[0]!(), await bodies[1]!()]).toEqual([200, 413]);
  await set(bytes);
  service.clock.advance(900_000);
  expect(await bodies[2]!()).toBe(403);
});

test('counts what may still be uploaded to presigned addresses, until they expire or the blob is stored', async () => {
  const { service, device, set } = await limited(bytes);
  const other = chunk('six');
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const ask = async (...chunks: (typeof other)[]) => {
    const body = {
      session_id: session,
      chunks: chunks.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
    };
    return (await service.post('/functions/v1/backup/presign', device.token, body)).status;
  };
  expect(await ask(...parts)).toBe(200);
  expect(await ask(other)).toBe(413);
  expect(await ask(...parts, other)).toBe(413);
  expect(await ask(other)).toBe(413);
  expect(await ask(...parts, ...parts)).toBe(200);
  expect((await service.put(device, session, parts[0]!.hash, parts[0]!.blob)).status).toBe(200);
  expect(await ask(other)).toBe(413);
  service.clock.advance(900_000);
  expect(await ask(other)).toBe(200);
  expect(await ask(parts[1]!)).toBe(413);
  await set(bytes + other.blob.length);
  expect(await ask(parts[1]!)).toBe(200);
  expect((await service.put(device, session, other.hash, other.blob)).status).toBe(200);
  expect((await service.put(device, session, parts[1]!.hash, parts[1]!.blob)).status).toBe(200);
});

test('addresses of a process that was killed, or of another one, take no more than there is room for', async () => {
  const { service, device } = await limited(parts[0]!.blob.length);
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const urls: string[] = [];
  for (const { hash, blob } of parts) {
    const request = { session_id: session, chunk_hash: hash, chunk_size: blob.length };
    const { status, body } = await service.post('/functions/v1/backup/presign', device.token, request);
    expect(status).toBe(200);
    urls.push(String(body.upload_url));
    // A process that starts knows of no address.
    const { reservations } = service.service.context;
    const account = await service.service.context.metadata.accounts.findAccount(service.accountId);
    const digest = Buffer.from(hash.slice('sha256:'.length), 'hex');
    const [row] = await service.service.context.metadata.chunks.find(account!.number, [digest]);
    reservations.release(row!.id);
  }
  const put = async (index: number) =>
    (await service.call('PUT', urls[index]!, undefined, Buffer.from(parts[index]!.blob))).status;
  expect([await put(0), await put(1)]).toEqual([200, 413]);
});

test('counts presigned addresses of concurrent requests', async () => {
  const { service, device } = await limited(bytes);
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const statuses = await Promise.all(
    ['one', 'two', 'six', 'ten'].map(async (content) => {
      const { hash, blob } = chunk(content);
      const body = { session_id: session, chunk_hash: hash, chunk_size: blob.length };
      return (await service.post('/functions/v1/backup/presign', device.token, body)).status;
    }),
  );
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
});

test('counts packs that arrive at the same time', async () => {
  const { service, device, set } = await limited(bytes);
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const found = (await service.service.context.metadata.sessions.find(session))!;
  const put = (text: string) => {
    const { hash, size, blob } = chunk(text);
    return putBlobs(service.service.context, found, [{ hash, bytes: blob, size }]);
  };
  const texts = Array.from({ length: 20 }, (_, index) => String(100 + index));
  const outcomes = await Promise.allSettled(texts.map(put));
  const kept = texts.filter((_, index) => outcomes[index]!.status === 'fulfilled');
  expect(kept.length).toBe(2);
  await service.service.context.intake.settle();
  const account = await service.service.context.metadata.accounts.findAccount(service.accountId);
  expect(account!.storageUsed).toBeLessThanOrEqual(bytes);
  // What was refused, or arrived twice, holds no room.
  await set(bytes + chunk('100').blob.length);
  await Promise.all([put(kept[0]!), put(kept[0]!)]);
  expect(await put('200')).toMatchObject({ blobs: 1 });
});

describe('lists of files', () => {
  const MIB = 2 ** 20;

  /** A manifest of about this many MiB, with empty files. */
  const tree = (mib: number, name: string) =>
    Array.from({ length: mib * 32 }, (_, index) => file(`/${name}${index}/${'x'.repeat(2 ** 15 - 100)}`, []));

  test('are limited to the bytes of the plan, and at least to 32 MiB', async () => {
    const { service, device, set } = await limited(bytes);
    expect((await service.backUp(device, 'one', tree(20, 'a'))).status).toBe(200);
    expect((await service.backUp(device, 'one', tree(20, 'a'))).status).toBe(200);
    const refused = await service.init(device, 'two', tree(20, 'b'));
    expect(refused).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } });
    expect((await service.backUp(device, 'two', tree(10, 'b'))).status).toBe(200);
    const { sessions } = service.service.context.metadata;
    expect(Math.round((await sessions.treeBytes(service.accountId)) / MIB)).toBe(30);
    // Each of these is checked at its end only.
    const small = (name: string) => service.init(device, name, tree(1, name).slice(0, 31));
    const statuses = [await small('s'), await small('t'), await small('u')].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 413]);
    await set(64 * MIB);
    expect((await service.init(device, 'three', tree(20, 'c'))).status).toBe(200);
    expect((await service.init(device, 'three', tree(20, 'd'))).status).toBe(413);
  });

  test('are refused before all of them is stored', async () => {
    const { service, device } = await limited(bytes);
    const { trees } = service.service.context.metadata;
    let staged = 0;
    const stage = trees.stage;
    vi.spyOn(trees, 'stage').mockImplementation(async (session, changes) => {
      staged += changes.versions.length;
      return stage(session, changes);
    });
    expect((await service.init(device, 'one', tree(40, 'a'))).status).toBe(413);
    expect(staged).toBeLessThan(40 * 32);
  });

  test('count while their manifests arrive at the same time', async () => {
    const { service, device } = await limited(bytes);
    const both = await Promise.all(['a', 'b'].map((name) => service.init(device, name, tree(20, name))));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 413]);
  });

  test('count no longer when their session has failed, or nothing needs them', async () => {
    const { service, device } = await limited(bytes);
    const { sessions, retention } = service.service.context.metadata;
    const used = () => sessions.treeBytes(service.accountId);
    const tidy = () => {
      service.service.keepHouse();
      return service.service.tidy();
    };
    const first = await service.init(device, 'one', tree(1, 'a'));
    await service.post('/functions/v1/backup/abort', device.token, { session_id: first.body.session_id });
    await tidy();
    expect(await used()).toBe(0);
    await service.backUp(device, 'one', [...files, ...tree(1, 'a')]);
    const one = await used();
    await service.backUp(device, 'one', [...files, file('/b', parts)]);
    const two = await used();
    expect([one > MIB / 2, two > one]).toEqual([true, true]);
    const { number } = (await sessions.findSet(device.id, 'one'))!;
    await retention.remove({ accountId: service.accountId, setNumber: number }, service.clock.now(), ({ points }) => [
      points[0]!.session,
    ]);
    await tidy();
    // What both have stays, and counts.
    const left = await used();
    expect([left > two - one, left < 1_000]).toEqual([true, true]);
  });
});
