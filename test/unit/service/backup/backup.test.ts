import { createHash } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import { chunk, file, manifestEntry, STATS, TestService } from '../harness.ts';
import type { TestDevice, TestFile } from '../harness.ts';

const INIT = '/functions/v1/backup/init';
const PRESIGN = '/functions/v1/backup/presign';
const HASH_A = `sha256:${createHash('sha256').update('a').digest('hex')}`;

async function begin(): Promise<{ service: TestService; device: TestDevice }> {
  const service = await TestService.open();
  return { service, device: await service.register() };
}

/** A hand-written body of init with one file. */
function bodyOf(device: TestDevice, entry: string): string {
  return `{"device_id": "${device.id}", "backup_set": "docs", "files": [${entry}]}`;
}

const GOOD = `{"path": "/a", "size": 1, "modified": "2026-01-01T00:00:00.000Z", "chunks": [{"hash": "${HASH_A}", "size": 1}]}`;

describe('init', () => {
  test('returns the distinct chunks that are not stored, in manifest order', async () => {
    const { service, device } = await begin();
    await service.backUp(device, 'docs', [file('/x', ['stored'])]);
    const files = [file('/b', ['two', 'one', 'two']), file('/a', ['one', 'stored', 'three']), file('/c', ['stored'])];
    const { status, body } = await service.init(device, 'docs', files);
    expect(status).toBe(200);
    expect(Object.keys(body as object).toSorted()).toEqual(
      ['chunks_deduped', 'chunks_needed', 'chunks_to_upload', 'session_id'].toSorted(),
    );
    expect(body.chunks_needed).toEqual(
      ['two', 'one', 'three'].map((text) => ({ hash: chunk(text).hash, size: text.length })),
    );
    expect(body.chunks_deduped).toBe(1);
    expect(body.chunks_to_upload).toBe(3);
  });

  test('counts stored chunks of unchanged and of changed files once', async () => {
    const { service, device } = await begin();
    await service.backUp(device, 'docs', [file('/a', ['one', 'two']), file('/b', ['two', 'three'])]);
    const { body } = await service.init(device, 'docs', [
      file('/a', ['one', 'two']),
      file('/b', ['three', 'four', 'two']),
    ]);
    expect(body.chunks_deduped).toBe(3);
    expect(body.chunks_needed).toEqual([{ hash: chunk('four').hash, size: 4 }]);
  });

  test('does not count chunks of other accounts as stored', async () => {
    const { service, device } = await begin();
    await service.backUp(device, 'docs', [file('/a', ['secret'])]);
    const other = await service.service.context.metadata.accounts.createAccount(0);
    const stranger = await service.register(other.id);
    const { body } = await service.init(stranger, 'docs', [file('/a', ['secret'])]);
    expect(body.chunks_needed).toEqual([{ hash: chunk('secret').hash, size: 6 }]);
    expect(body.chunks_deduped).toBe(0);
  });

  test('does not block other requests while it reads a manifest that arrived in one piece', async () => {
    const { service, device } = await begin();
    const text = JSON.stringify({ device_id: device.id, backup_set: 'docs', files: many(20_000) });
    const order: string[] = [];
    const init = service.post(INIT, device.token, text).then(({ status }) => order.push(`init ${status}`));
    for (let call = 0; call < 3; call += 1) {
      await new Promise(setImmediate);
      await service.call('GET', '/functions/v1/capabilities');
      order.push('capabilities');
    }
    await init;
    expect(order).toEqual(['capabilities', 'capabilities', 'capabilities', 'init 200']);
  });

  test('accepts an empty manifest', async () => {
    const { service, device } = await begin();
    const run = await service.backUp(device, 'docs', []);
    expect(run.body.dedup_savings_percent).toBe(0);
    expect((await service.manifest(device, 'docs')).body).toMatchObject({ files: [], total_files: 0, total_bytes: 0 });
  });

  test.each([
    ['behind the files', (id: string) => `{"files": [${GOOD}], "backup_set": "docs", "device_id": "${id}"}`],
    ['on both sides of the files', (id: string) => `{"device_id": "${id}", "files": [${GOOD}], "backup_set": "docs"}`],
    [
      'with fields that nobody knows',
      (id: string) => `{"x": {"files": [1]}, ${bodyOf({ id } as TestDevice, GOOD).slice(1)}`,
    ],
  ])('reads the device and the set %s', async (_, body) => {
    const { service, device } = await begin();
    const text = body(device.id);
    for (const pieces of [[text], text.split('')]) {
      const answer = await service.post(INIT, device.token, stream(pieces));
      expect(answer.status).toBe(200);
      expect(answer.body.chunks_needed).toEqual([{ hash: HASH_A, size: 1 }]);
    }
  });

  test.each(['gzip', 'zstd'])(
    'reads a body with content encoding %s, as announced in the capabilities',
    async (encoding) => {
      const { service, device } = await begin();
      const offered = await service.call('GET', '/functions/v1/capabilities');
      expect(offered.headers.get('accept-encoding')).toContain(encoding);
      const plain = Buffer.from(bodyOf(device, GOOD));
      const packed = encoding === 'gzip' ? gzipSync(plain) : zstdCompressSync(plain);
      const headers = { 'content-encoding': encoding };
      expect((await service.post(INIT, device.token, packed, headers)).status).toBe(200);
      const broken = packed.subarray(0, packed.length - 4);
      for (const wrong of [plain, broken]) {
        expect((await service.post(INIT, device.token, wrong, headers)).status).toBe(400);
      }
      const unknown = await service.post(INIT, device.token, packed, { 'content-encoding': 'br' });
      expect(unknown).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    },
  );

  const entryWith = (fields: Record<string, unknown>): string =>
    JSON.stringify({ ...(JSON.parse(GOOD) as object), ...fields });
  test.each([
    ['no JSON', '{', 400],
    ['an entry that is no object', '7', 400],
    ['null', 'null', 400],
    ['a relative path', entryWith({ path: 'a' }), 400],
    ['a path with ..', entryWith({ path: '/a/../b' }), 400],
    ['a path with an empty segment', entryWith({ path: '/a//b' }), 400],
    ['a path that is no text', entryWith({ path: 7 }), 400],
    ['a lone surrogate in a path', GOOD.replace('/a', String.raw`/\ud800`), 400],
    ['a zero byte in a path', GOOD.replace('/a', String.raw`/a\u0000`), 400],
    ['a negative size', entryWith({ size: -1 }), 400],
    ['a broken size', entryWith({ size: 1.5 }), 400],
    ['a size as text', entryWith({ size: '1' }), 400],
    ['no time', entryWith({ modified: undefined }), 400],
    ['a time without date', entryWith({ modified: '10:00' }), 400],
    ['a day that does not exist', entryWith({ modified: '2026-02-30T00:00:00.000Z' }), 400],
    ['a time without zone', entryWith({ modified: '2026-01-01T00:00:00' }), 400],
    ['chunks that are no list', entryWith({ chunks: {} }), 400],
    ['a hash without its prefix', entryWith({ chunks: [{ hash: HASH_A.slice(7), size: 1 }] }), 400],
    ['a hash in upper case', entryWith({ chunks: [{ hash: HASH_A.toUpperCase(), size: 1 }] }), 400],
    ['a short hash', entryWith({ chunks: [{ hash: HASH_A.slice(0, -1), size: 1 }] }), 400],
    ['an empty chunk', entryWith({ size: 0, chunks: [{ hash: HASH_A, size: 0 }] }), 400],
    ['chunks that sum to less', entryWith({ size: 2 }), 422],
    ['chunks that sum to more', entryWith({ size: 0 }), 422],
    ['no chunks of a file with bytes', entryWith({ chunks: [] }), 422],
    ['an enormous chunk', entryWith({ size: 2 ** 27, chunks: [{ hash: HASH_A, size: 2 ** 27 }] }), 422],
    ['an enormous path', entryWith({ path: `/${'a'.repeat(70_000)}` }), 422],
    ['a path twice, side by side', `${GOOD}, ${GOOD}`, 422],
    ['a path twice, apart', `${GOOD}, ${GOOD.replace('"/a"', '"/b"')}, ${GOOD}`, 422],
    [
      'a chunk with two sizes in one file',
      entryWith({
        size: 3,
        chunks: [
          { hash: HASH_A, size: 1 },
          { hash: HASH_A, size: 2 },
        ],
      }),
      422,
    ],
  ])('refuses %s', async (_, entry, status) => {
    const { service, device } = await begin();
    const answer = await service.post(INIT, device.token, bodyOf(device, entry));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(answer.body).toMatchObject({ status, code: status === 400 ? 'malformed_request' : 'unprocessable' });
    // A refused manifest leaves nothing.
    const sets = await service.call('GET', `/rest/v1/backup_sets?device_id=${device.id}`, device.token);
    expect(
      (sets.body.backup_sets as { last_restore_point: unknown }[]).every((set) => set.last_restore_point === null),
    ).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['no files', '{"device_id": "d", "backup_set": "s"}'],
    ['files that are no list', '{"device_id": "d", "backup_set": "s", "files": {}}'],
    ['no device', '{"backup_set": "s", "files": []}'],
    ['an empty set name', '{"device_id": "d", "backup_set": "", "files": []}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22])],
  ])('refuses a body with %s as malformed', async (_, body) => {
    const { service, device } = await begin();
    expect(await service.post(INIT, device.token, body)).toMatchObject({
      status: 400,
      body: { code: 'malformed_request' },
    });
  });

  test('refuses a chunk with two sizes, wherever they occur', async () => {
    const { service, device } = await begin();
    await service.backUp(device, 'docs', [file('/stored', ['a'])]);
    const fresh = { hash: `sha256:${'9'.repeat(64)}`, size: 5 };
    const wrong = (path: string, hash: string, size: number) => ({
      path,
      size,
      modified: '2026-01-01T00:00:00.000Z',
      chunks: [{ hash, size }],
    });
    const manifests = [
      [wrong('/x', HASH_A, 2)],
      // Many files in between, so that the two are in different batches.
      [wrong('/1', fresh.hash, 5), ...many(3_000), wrong('/z', fresh.hash, 6)],
      [{ ...wrong('/stored', HASH_A, 2), modified: '2026-01-02T03:04:05.678Z' }],
    ];
    for (const files of manifests) {
      const text = JSON.stringify({ device_id: device.id, backup_set: 'docs', files });
      const answer = await service.post(INIT, device.token, stream(inPieces(text)));
      expect(answer).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    }
  });

  test('is allowed to the device itself, and to users for any device of the account', async () => {
    const { service, device } = await begin();
    const other = await service.register();
    const stranger = await service.register((await service.service.context.metadata.accounts.createAccount(0)).id);
    const files = [file('/a', ['x'])];
    const as = (token: string, id: string) => service.init({ ...device, token, id }, 'docs', files);
    expect((await as(device.token, other.id)).status).toBe(403);
    const user = await userToken(service);
    expect((await as(user, other.id)).status).toBe(200);
    expect((await as(user, stranger.id)).status).toBe(404);
    expect((await as(user, 'dev_unknown')).status).toBe(404);
    await service.call('DELETE', `/rest/v1/devices/${other.id}`, user);
    expect((await as(user, other.id)).status).toBe(403);
  });
});

describe('presign and PUT', () => {
  async function opened() {
    const { service, device } = await begin();
    const files = [file('/a', ['content', chunk(200_000)])];
    const init = await service.init(device, 'docs', files);
    return { service, device, files, session: init.body.session_id as string, init };
  }

  test('return the fields of the interface', async () => {
    const { service, device, session } = await opened();
    const request = { session_id: session, chunk_hash: chunk('content').hash, chunk_size: 35 };
    const { status, body } = await service.post(PRESIGN, device.token, request);
    expect(status).toBe(200);
    expect(body).toEqual({
      upload_url: expect.stringMatching(/^http:\/\/service\.test\/objects\/v1\//) as string,
      expires_in: 900,
      method: 'PUT',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': '35', 'If-None-Match': '*' },
    });
  });

  test('accept many chunks at once', async () => {
    const { service, device, session, files } = await opened();
    const chunks = files[0]!.chunks.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length }));
    const { body } = await service.post(PRESIGN, device.token, { session_id: session, chunks });
    const uploads = body.uploads as { chunk_hash: string; upload_url: string; headers: object }[];
    expect(uploads.map((upload) => upload.chunk_hash)).toEqual(chunks.map((one) => one.chunk_hash));
    for (const [index, upload] of uploads.entries()) {
      const put = await service.call(
        'PUT',
        upload.upload_url,
        undefined,
        files[0]!.chunks[index]!.blob,
        upload.headers,
      );
      expect([put.status, put.body]).toEqual([200, Buffer.alloc(0)]);
    }
    expect((await service.complete(device, session)).status).toBe(200);
    const tooMany = Array.from({ length: 1_001 }, () => chunks[0]!);
    expect((await service.post(PRESIGN, device.token, { session_id: session, chunks: tooMany })).status).toBe(413);
    expect((await service.post(PRESIGN, device.token, { session_id: session, chunks: [] })).status).toBe(400);
  });

  test('refuse chunks that the session does not need, and impossible sizes', async () => {
    const { service, device, session } = await opened();
    const presign = (hash: string, size: unknown, id = session) =>
      service.post(PRESIGN, device.token, { session_id: id, chunk_hash: hash, chunk_size: size });
    const { hash } = chunk('content');
    expect(await presign(chunk('other').hash, 33)).toMatchObject({
      status: 422,
      body: { code: 'chunk_not_in_session' },
    });
    for (const size of [7, 28, 36]) {
      expect(await presign(hash, size)).toMatchObject({ status: 422, body: { code: 'chunk_size_mismatch' } });
    }
    expect((await presign(hash, '35')).status).toBe(400);
    expect((await presign('content', 35)).status).toBe(400);
    expect(await presign(hash, 35, 'ses_unknown')).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
  });

  test.each(['content', 200_000])('never replace a blob (%s)', async (content) => {
    const { service, device } = await begin();
    const one = chunk(content);
    const init = await service.init(device, 'docs', [file('/a', [one])]);
    const session = init.body.session_id as string;
    expect((await service.put(device, session, one.hash, one.blob)).status).toBe(200);
    const other = new Uint8Array(one.blob.length).fill(7);
    expect(await service.put(device, session, one.hash, other)).toMatchObject({
      status: 412,
      body: { code: 'blob_exists' },
    });
    await service.complete(device, session);
    expect(await download(service, device, one.hash)).toEqual(Buffer.from(one.blob));
  });

  test('of one chunk at the same time leave one blob, reported as stored only once it is', async () => {
    const { service, device } = await begin();
    const one = chunk(300_000);
    const init = await service.init(device, 'docs', [file('/a', [one])]);
    const session = init.body.session_id as string;
    const blobs = Array.from({ length: 8 }, (_, index) => new Uint8Array(one.blob.length).fill(index));
    const answers = await Promise.all(blobs.map((blob) => service.put(device, session, one.hash, blob)));
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
    expect(winners).toHaveLength(1);
    await service.complete(device, session);
    expect(await download(service, device, one.hash)).toEqual(Buffer.from(blobs[winners[0]!]!));
  });

  test.each(['content', 200_000])('refuse a length other than the signed one (%s)', async (content) => {
    const { service, device } = await begin();
    const one = chunk(content);
    const init = await service.init(device, 'docs', [file('/a', [one])]);
    const presign = await service.post(PRESIGN, device.token, {
      session_id: init.body.session_id as string,
      chunk_hash: one.hash,
      chunk_size: one.blob.length,
    });
    const put = (body: unknown, headers = {}) =>
      service.call('PUT', presign.body.upload_url as string, undefined, body, headers);
    const refused = { status: 403, body: { code: 'url_invalid' } };
    expect(await put(stream([one.blob, Buffer.from('x')]))).toMatchObject(refused);
    expect(await put(stream([one.blob.subarray(1)]))).toMatchObject(refused);
    expect(await put(one.blob, { 'content-length': String(one.blob.length + 1) })).toMatchObject(refused);
    expect(await put(undefined)).toMatchObject(refused);
    expect((await put(one.blob)).status).toBe(200);
  });
});

describe('progress, complete and abort', () => {
  test('accepts progress while the session is open', async () => {
    const { service, device } = await begin();
    const { body } = await service.init(device, 'docs', [file('/a', ['x'])]);
    const progress = { session_id: body.session_id as string, chunks_uploaded: 1, chunks_total: 2, bytes_uploaded: 3 };
    expect((await service.post('/functions/v1/backup/progress', device.token, progress)).status).toBe(200);
    const wrong = { ...progress, chunks_uploaded: -1 };
    expect((await service.post('/functions/v1/backup/progress', device.token, wrong)).status).toBe(400);
    await service.post('/functions/v1/backup/abort', device.token, { session_id: body.session_id });
    expect(await service.post('/functions/v1/backup/progress', device.token, progress)).toMatchObject({
      status: 409,
      body: { code: 'session_closed' },
    });
  });

  test('complete returns the run, and the same one when repeated', async () => {
    const { service, device } = await begin();
    const { status, body } = await service.backUp(device, 'docs', [file('/a', ['one', 'three'])]);
    expect(status).toBe(200);
    expect(body).toEqual({
      backup_id: expect.stringMatching(/^bkp_/) as string,
      status: 'completed',
      restore_point: '2026-03-01T10:00:00.000Z',
      storage_used_bytes: 3 + 5 + 2 * 28,
      dedup_savings_percent: 0,
    });
    const init = await service.init(device, 'docs', [file('/a', ['one', 'three'])]);
    const first = await service.complete(device, init.body.session_id as string);
    service.clock.advance(5_000);
    expect((await service.complete(device, init.body.session_id as string)).body).toEqual(first.body);
    expect(first.body.dedup_savings_percent).toBe(100);
    const aborted = await service.post('/functions/v1/backup/abort', device.token, {
      session_id: init.body.session_id,
    });
    expect(aborted).toMatchObject({ status: 409, body: { code: 'session_closed' } });
  });

  test('concurrent completes return one run', async () => {
    const { service, device } = await begin();
    const { body } = await service.init(device, 'docs', []);
    const answers = await Promise.all([1, 2, 3].map(() => service.complete(device, body.session_id as string)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body.backup_id as string)).size).toBe(1);
    const points = await service.call(
      'GET',
      `/rest/v1/restore_points?device_id=${device.id}&backup_set=docs`,
      device.token,
    );
    expect(points.body.restore_points).toHaveLength(1);
  });

  test.each([
    [['aaaa'], ['aaaa'], 100],
    [['aaaa', 'bbbb'], ['aaaa'], 50],
    [['aaaa', 'bb', 'bb', 'bb'], ['aaaa'], 80],
    [['aaaa', 'bbbbbbbb'], ['aaaa'], 33.3],
    [['bbbb', 'bbbb', 'bbbb'], ['aaaa'], 66.7],
    [['bbbb'], ['aaaa'], 0],
  ])('dedup savings of %j after %j are %d %%', async (now, before, percent) => {
    const { service, device } = await begin();
    await service.backUp(device, 'docs', [file('/a', before)]);
    expect((await service.backUp(device, 'docs', [file('/b', now)])).body.dedup_savings_percent).toBe(percent);
  });

  test('complete lists missing chunks, and succeeds once they are uploaded', async () => {
    const { service, device } = await begin();
    const files = [file('/a', ['one', 'two', 'three'])];
    const { body } = await service.init(device, 'docs', files);
    const session = body.session_id as string;
    await service.put(device, session, chunk('two').hash, chunk('two').blob);
    const refused = await service.complete(device, session);
    expect(refused).toMatchObject({ status: 409, body: { code: 'chunks_missing' } });
    expect(refused.body.missing_chunks).toEqual([chunk('one').hash, chunk('three').hash]);
    expect((await service.manifest(device, 'docs')).status).toBe(404);
    await service.put(device, session, chunk('one').hash, chunk('one').blob);
    expect((await service.complete(device, session)).body.missing_chunks).toEqual([chunk('three').hash]);
    await service.put(device, session, chunk('three').hash, chunk('three').blob);
    expect((await service.complete(device, session)).status).toBe(200);
  });

  test('complete waits until the blobs are on disk', async () => {
    const { service, device } = await begin();
    const { body } = await service.init(device, 'docs', [file('/a', ['one'])]);
    const { context } = service.service;
    const session = await context.metadata.sessions.find(body.session_id as string);
    const { hash, size, blob } = chunk('one');
    await putBlobs(context, session!, [{ hash, bytes: blob, size }]);
    const { objects } = context;
    const flush = objects.flush.bind(objects);
    const events: string[] = [];
    Object.assign(objects, {
      flush: async () => {
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        await flush();
        events.push('flushed');
      },
    });
    expect((await service.complete(device, session!.id)).status).toBe(200);
    expect(events).toEqual(['flushed']);
  });

  test('complete requires the stats that the interface specifies', async () => {
    const { service, device } = await begin();
    const { body } = await service.init(device, 'docs', []);
    for (const name of Object.keys(STATS)) {
      const stats = { ...STATS, [name]: undefined };
      const answer = await service.post('/functions/v1/backup/complete', device.token, {
        session_id: body.session_id,
        stats,
      });
      expect([name, answer.status]).toEqual([name, 400]);
    }
  });

  test('a session belongs to its device', async () => {
    const { service, device } = await begin();
    const { body } = await service.init(device, 'docs', []);
    const other = await service.register();
    const stranger = await service.register((await service.service.context.metadata.accounts.createAccount(0)).id);
    expect((await service.complete(other, body.session_id as string)).status).toBe(403);
    expect((await service.complete(stranger, body.session_id as string)).status).toBe(404);
  });

  test('an aborted session changes nothing and cannot be completed, but can be aborted again', async () => {
    const { service, device } = await begin();
    const files: TestFile[] = [file('/a', ['one'])];
    await service.backUp(device, 'docs', files);
    const init = await service.init(device, 'docs', [file('/b', ['two'])]);
    await service.upload(device, init, [file('/b', ['two'])]);
    const abort = () => service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
    expect([(await abort()).status, (await abort()).status]).toEqual([200, 200]);
    expect((await service.complete(device, init.body.session_id as string)).status).toBe(409);
    expect((await service.manifest(device, 'docs')).body.files).toHaveLength(1);
  });
});

function many(count: number) {
  return Array.from({ length: count }, (_, index) => manifestEntry(file(`/m${String(index).padStart(5, '0')}`, [])));
}

function* inPieces(text: string): Generator<string> {
  for (let offset = 0; offset < text.length; offset += 30_000) yield text.slice(offset, offset + 30_000);
}

function stream(pieces: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from([...pieces].map((piece) => Buffer.from(piece)));
}

async function download(service: TestService, device: TestDevice, hash: string): Promise<unknown> {
  const manifest = await service.manifest(device, 'docs');
  const body = { restore_session_id: manifest.body.restore_session_id as string, chunk_hashes: [hash] };
  const presign = await service.post('/functions/v1/restore/presign', device.token, body);
  return (await service.call('GET', presign.body.downloads[0].url as string)).body;
}

/** A user of the service's account with a token, without signing in. */
async function userToken(service: TestService): Promise<string> {
  const { metadata, clock } = service.service.context;
  const user = await metadata.accounts.createOwner({
    email: 'a@example.com',
    passwordHash: '',
    totpSecret: '',
    now: 0,
  });
  const token = { hash: Buffer.alloc(32), expiresAt: clock.now() + 1e9 };
  await metadata.tokens.startFamily({ id: 'fam', userId: user!.id }, token, clock.now());
  const claims = { kind: 'user', sub: user!.id, account: service.accountId, family: 'fam' } as const;
  return service.service.tokens.issue(claims, clock.now());
}
