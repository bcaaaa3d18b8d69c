import BetterSqlite from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import { chunk, file, manifestEntry, STATS, TestService } from '../../../unit/service/harness.ts';
import type { TestChunk } from '../../../unit/service/harness.ts';

const PRESIGN = '/functions/v1/backup/presign';
const INIT = '/functions/v1/backup/init';
const DAY = 24 * 3_600_000;

async function opened(set = 'docs') {
  const service = await TestService.open();
  const device = await service.register();
  const answer = await service.openSession(device, set);
  expect(answer.status).toBe(200);
  const session = answer.body.session_id as string;
  const batch = (...chunks: TestChunk[]) =>
    service.post(PRESIGN, device.token, {
      session_id: session,
      chunks: chunks.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
    });
  const single = ({ hash, blob }: TestChunk) =>
    service.post(PRESIGN, device.token, { session_id: session, chunk_hash: hash, chunk_size: blob.length });
  const put = async (one: TestChunk) =>
    expect((await service.put(device, session, one.hash, one.blob)).status).toBe(200);
  const together = async (...chunks: TestChunk[]) => {
    const { context } = service.service;
    const found = await context.metadata.sessions.find(session);
    const blobs = chunks.map(({ hash, size, blob }) => ({ hash, bytes: blob, size }));
    return putBlobs(context, found!, blobs);
  };
  return { service, device, session, batch, single, put, together };
}

function rows<Row>(service: TestService, query: string): Row[] {
  const database = new BetterSqlite(join(service.directory, 'metadata.sqlite'), { readonly: true });
  const found = database.prepare<[], Row>(query).all();
  database.close();
  return found;
}

const states = (service: TestService) =>
  rows<{ state: string }>(service, 'SELECT state FROM session ORDER BY number').map(({ state }) => state);

describe('a session before its manifest', () => {
  test('accepts any chunk, and then needs only the rest of the manifest', async () => {
    const { service, device, session, put, together } = await opened();
    const [one, two, large, late] = [chunk('one'), chunk('two'), chunk(300_000), chunk('late')];
    await put(one);
    await put(large);
    expect(await together(two, one)).toEqual({ blobs: 1, bytes: two.blob.length, plaintextBytes: 3 });
    const files = [file('/a', [one, late, large]), file('/b', [two, late])];
    const init = await service.init(device, 'docs', files, { session_id: session });
    expect(init.body).toEqual({
      session_id: session,
      chunks_deduped: 0,
      chunks_to_upload: 1,
      chunks_needed: [{ hash: late.hash, size: 4 }],
    });
    expect(await service.complete(device, session)).toMatchObject({ status: 409, body: { code: 'chunks_missing' } });
    await service.upload(device, init, files);
    const run = await service.complete(device, session);
    // All bytes except for those of the second `late` were uploaded.
    const bytes = 300_014;
    expect(run).toMatchObject({
      status: 200,
      body: { dedup_savings_percent: Math.round(1000 * (4 / bytes)) / 10 },
    });
    expect((await service.manifest(device, 'docs')).body.files).toHaveLength(2);
    expect(await service.complete(device, session)).toMatchObject({ status: 200, body: run.body });
  });

  test('counts chunks stored before as deduplicated, and its own as uploaded', async () => {
    const service = await TestService.open();
    const device = await service.register();
    await service.backUp(device, 'other', [file('/x', ['stored'])]);
    const session = (await service.openSession(device, 'docs')).body.session_id as string;
    const early = chunk('early!');
    await service.put(device, session, early.hash, early.blob);
    const init = await service.init(device, 'docs', [file('/a', ['stored', early])], { session_id: session });
    expect(init.body).toMatchObject({ chunks_deduped: 1, chunks_to_upload: 0, chunks_needed: [] });
    expect((await service.complete(device, session)).body.dedup_savings_percent).toBe(50);
  });

  test('reports stored chunks, and refuses blobs of an impossible size', async () => {
    const { service, device, session, batch, single, put, together } = await opened();
    const [there, fresh] = [chunk('there'), chunk('fresh')];
    await put(there);
    const answer = await batch(there, fresh);
    expect(answer.body.stored).toEqual([there.hash]);
    expect((answer.body.uploads as { chunk_hash: string }[]).map(({ chunk_hash: hash }) => hash)).toEqual([fresh.hash]);
    expect(await single(there)).toMatchObject({ status: 409, body: { code: 'blob_exists' } });
    for (const size of [28, 64 * 2 ** 20 + 29]) {
      const body = { session_id: session, chunk_hash: chunk('x').hash, chunk_size: size };
      expect(await service.post(PRESIGN, device.token, body)).toMatchObject({
        status: 422,
        body: { code: 'chunk_size_mismatch' },
      });
    }
    const longer = { ...fresh, blob: Buffer.concat([fresh.blob, Buffer.alloc(1)]) };
    expect(await single(longer)).toMatchObject({ status: 422, body: { code: 'chunk_size_mismatch' } });
    await expect(together({ ...fresh, blob: new Uint8Array(28) })).rejects.toMatchObject({
      code: 'chunk_size_mismatch',
    });
  });

  test('reports no blob as stored that is not durable', async () => {
    const { service, batch, together } = await opened();
    const one = chunk('one');
    await together(one);
    const unsettled = 'SELECT count(*) AS count FROM chunk WHERE size IS NULL';
    expect(rows(service, unsettled)).toEqual([{ count: 1 }]);
    expect((await batch(one)).body).toMatchObject({ stored: [one.hash], uploads: [] });
    expect(rows(service, unsettled)).toEqual([{ count: 0 }]);
  });

  test('cannot be completed, and can be aborted', async () => {
    const { service, device, session, single } = await opened();
    expect(await service.complete(device, session)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const progress = { session_id: session, chunks_uploaded: 1, chunks_total: 2, bytes_uploaded: 3 };
    expect((await service.post('/functions/v1/backup/progress', device.token, progress)).status).toBe(200);
    const abort = () => service.post('/functions/v1/backup/abort', device.token, { session_id: session });
    expect([(await abort()).status, (await abort()).status]).toEqual([200, 200]);
    expect(await single(chunk('x'))).toMatchObject({ status: 409, body: { code: 'session_closed' } });
    expect(await service.init(device, 'docs', [], { session_id: session })).toMatchObject({
      status: 409,
      body: { code: 'session_closed' },
    });
  });

  test('requires the permission and the device of a backup', async () => {
    const { service, device, session } = await opened();
    const other = await service.register();
    const open = (token: string | undefined, body: object) =>
      service.post('/functions/v1/backup/open', token, { device_id: device.id, backup_set: 'docs', ...body });
    expect((await open(undefined, {})).status).toBe(401);
    expect((await open(other.token, {})).status).toBe(403);
    expect((await open(device.token, { backup_set: 'x'.repeat(501) })).status).toBe(422);
    expect((await open(device.token, { backup_set: 7 })).status).toBe(400);
    expect((await service.init(other, 'docs', [], { session_id: session })).status).toBe(403);
    expect((await service.init(device, 'photos', [], { session_id: session })).status).toBe(422);
    expect((await service.init(device, 'docs', [], { session_id: 'ses_unknown' })).status).toBe(404);
    expect((await service.init(device, 'docs', [], { session_id: session })).status).toBe(200);
  });
});

describe('the manifest of a waiting session', () => {
  test('contains the session before its files', async () => {
    const { service, device, session, single } = await opened();
    const body = { device_id: device.id, backup_set: 'docs', files: [], session_id: session };
    expect(await service.post(INIT, device.token, body)).toMatchObject({ status: 400 });
    expect((await single(chunk('still'))).status).toBe(200);
  });

  test('is accepted once', async () => {
    const { service, device, session } = await opened();
    expect((await service.init(device, 'docs', [], { session_id: session })).status).toBe(200);
    expect(await service.init(device, 'docs', [], { session_id: session })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  test('leaves the session unchanged if it is refused or breaks off', async () => {
    const { service, device, session, put } = await opened();
    const one = chunk('one');
    await put(one);
    const twice = [file('/a', [one, 'two']), file('/a', ['three'])];
    expect((await service.init(device, 'docs', twice, { session_id: session })).status).toBe(422);
    const outdated = { session_id: session, base: 'bkp_other' };
    expect(await service.init(device, 'docs', [], outdated)).toMatchObject({ body: { code: 'base_outdated' } });
    const text = JSON.stringify({
      device_id: device.id,
      backup_set: 'docs',
      session_id: session,
      files: [manifestEntry(file('/b', ['four']))],
    });
    expect((await service.post(INIT, device.token, Buffer.from(text.slice(0, -2)))).status).toBe(400);
    const gone = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(text.slice(0, -2))),
      pull: (controller) => controller.error(new Error('connection lost')),
    });
    expect((await service.post(INIT, device.token, gone)).status).toBe(400);
    service.service.keepHouse();
    while (rows(service, "SELECT 1 FROM session WHERE state = 'failed' AND swept = 0").length > 0) {
      await new Promise(setImmediate);
    }
    const files = [file('/a', [one, 'two'])];
    const init = await service.init(device, 'docs', files, { session_id: session });
    expect(init.body).toMatchObject({ session_id: session, chunks_to_upload: 1 });
    await service.upload(device, init, files);
    expect((await service.complete(device, session)).status).toBe(200);
    const manifest = await service.manifest(device, 'docs');
    expect((manifest.body.files as { path: string }[]).map(({ path }) => path)).toEqual(['/a']);
  });

  test('may list differences only', async () => {
    const service = await TestService.open();
    const device = await service.register();
    const base = (await service.backUp(device, 'docs', [file('/a', ['one'])])).body.backup_id as string;
    const session = (await service.openSession(device, 'docs')).body.session_id as string;
    const two = chunk('two');
    await service.put(device, session, two.hash, two.blob);
    const init = await service.init(device, 'docs', [file('/b', [two])], { session_id: session, base });
    expect(init.body).toMatchObject({ chunks_to_upload: 0, chunks_deduped: 0 });
    expect((await service.complete(device, session)).body.dedup_savings_percent).toBe(50);
    expect((await service.manifest(device, 'docs')).body.files).toHaveLength(2);
  });

  test('finds early chunks even in a session of its own', async () => {
    const { service, device, put } = await opened();
    const one = chunk('one');
    await put(one);
    const init = await service.init(device, 'docs', [file('/a', [one])]);
    expect(init.body).toMatchObject({ chunks_deduped: 1, chunks_to_upload: 0 });
  });
});

describe('housekeeping', () => {
  const swept = async (service: TestService, count: number): Promise<void> => {
    service.service.keepHouse();
    const ended = 'SELECT 1 FROM session WHERE swept = 1';
    while (rows(service, ended).length < count) await new Promise(setImmediate);
  };

  test('deletes unreferenced early chunks after the session has ended', async () => {
    const { service, device, session, single, put } = await opened();
    const stored = chunk('stored');
    await put(stored);
    await single(chunk('announced'));
    const init = await service.init(device, 'docs', [file('/a', ['needed'])], { session_id: session });
    await service.service.context.metadata.sessions.sweep();
    expect(rows(service, 'SELECT id FROM chunk')).toHaveLength(3);
    await service.upload(device, init, [file('/a', ['needed'])]);
    expect((await service.complete(device, session)).status).toBe(200);
    await swept(service, 2);
    expect(rows(service, 'SELECT id FROM chunk WHERE size IS NULL')).toEqual([]);
    expect(rows(service, 'SELECT id FROM chunk')).toHaveLength(2);
    expect(rows(service, 'SELECT ordinal FROM session_chunk')).toEqual([]);
  });

  test('expires a session a day after its last request, and not before', async () => {
    const { service, device, session, single } = await opened();
    const isOverdue = async () => {
      const { metadata } = service.service.context;
      return (await metadata.sessions.overdue(service.clock.now() - DAY, 9)).length > 0;
    };
    for (let hours = 0; hours < 100; hours += 20) {
      expect((await single(chunk(`at ${hours}`))).status).toBe(200);
      service.clock.advance(20 * 3_600_000);
      Object.assign(device, { token: await service.tokenOf(device.id) });
      expect(await isOverdue()).toBe(false);
    }
    service.clock.advance(DAY);
    expect(await isOverdue()).toBe(true);
    await swept(service, 1);
    expect(states(service)).toEqual(['failed']);
    Object.assign(device, { token: await service.tokenOf(device.id) });
    const stats = { session_id: session, stats: STATS };
    expect((await service.post('/functions/v1/backup/complete', device.token, stats)).status).toBe(409);
  });
});
