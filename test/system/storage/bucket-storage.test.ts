import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BucketStorage } from '../../../src/storage/s3/bucket-storage.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { describeStorage, listed } from '../../unit/storage/contract.ts';

describe.skipIf(!HAS_S3)('with an object store (scripts/install-test-tools.sh)', () => {
  describeStorage('bucket', async () => {
    const bucket = await newBucket('computers/holdfast/');
    await new BucketStorage(bucket).put('holdfast.json', [Buffer.from('{}')]);
    return { open: async () => new BucketStorage(bucket) };
  });

  test('lists nothing of a neighbour whose prefix begins with the same letters', async () => {
    const bucket = await newBucket();
    await new BucketStorage({ ...bucket, prefix: 'ab/' }).put('a', [Buffer.from('a')]);
    expect(await listed(new BucketStorage({ ...bucket, prefix: 'a/' }), '')).toEqual([]);
  });

  test.each([
    [{ bucket: 'holdfast-none' }, { code: 'destination_missing', details: { problem: 'bucket' } }],
    [{ credentials: { accessKeyId: 'x', secretAccessKey: 'y' } }, { code: 'permission_denied' }],
  ])('reports %j', async (change, expected) => {
    const storage = new BucketStorage({ ...(await newBucket()), ...change });
    await expect(storage.get('a')).rejects.toMatchObject(expected);
    await expect(storage.put('a', [])).rejects.toMatchObject(expected);
    await expect(listed(storage, '')).rejects.toMatchObject(expected);
    await expect(storage.delete('a')).rejects.toMatchObject(expected);
  });
});

const BUCKET = {
  bucket: 'bucket',
  prefix: '',
  region: 'here',
  credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
} as const;

/** Returns true if it has responded. */
type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean;

/** A bucket that a test controls. */
async function openWith(handle: Handler): Promise<{ storage: BucketStorage; requests: string[] }> {
  const requests: string[] = [];
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const path = new URL(request.url ?? '', 'http://localhost').pathname;
      requests.push(`${request.method} ${path}`);
      const isTaken = objects.has(path);
      if (request.method === 'PUT' && !isTaken) objects.set(path, body);
      if (handle(request, response, body)) return;
      if (request.method === 'PUT') return void response.writeHead(isTaken ? 412 : 200, { etag: '"tag"' }).end();
      response.writeHead(isTaken ? 200 : 404).end(objects.get(path));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storage = new BucketStorage({ ...BUCKET, endpoint }, { attempts: 2 });
  onTestFinished(async () => {
    await storage[Symbol.asyncDispose]();
    server.close();
  });
  return { storage, requests };
}

/** Answers to what is asked about versions. */
const versionsWith =
  (status: number, body: string): Handler =>
  (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (searchParams.has('object-lock')) response.writeHead(404).end(code('ObjectLockConfigurationNotFoundError'));
    else if (searchParams.has('versioning') || searchParams.has('versions')) response.writeHead(status).end(body);
    else return false;
    return true;
  };

const code = (name: string) => `<Error><Code>${name}</Code><Message>…</Message></Error>`;

describe('bucket storage', () => {
  test.each([
    [403, 'AccessDenied'],
    [501, 'NotImplemented'],
    [404, 'NoSuchKey'],
  ])('counts nothing as kept where it is not told of versions (%i %s)', async (status, name) => {
    const { storage } = await openWith(versionsWith(status, code(name)));
    expect([await storage.kept.areKept(), await storage.kept.bytes()]).toEqual([false, 0]);
  });

  test('does not take a failure for a bucket that keeps no versions', async () => {
    const { storage } = await openWith(versionsWith(500, code('InternalError')));
    await expect(storage.kept.areKept()).rejects.toMatchObject({ code: 'service_unreachable' });
    await expect(storage.kept.bytes()).rejects.toMatchObject({ code: 'service_unreachable' });
  });

  test('stores a pack with one request, and reads a range with one', async () => {
    const { storage, requests } = await openWith(() => false);
    await storage.put('packs/aa/pack', [Buffer.alloc(8 * 1024 * 1024), Buffer.alloc(8 * 1024 * 1024)]);
    await storage.get('packs/aa/pack', { offset: 5, length: 10 });
    expect(requests).toEqual(['PUT /bucket/packs/aa/pack', 'GET /bucket/packs/aa/pack']);
  });

  test.each([
    ['created', 'mine', 'mine'],
    ['exists', 'mine', 'another'],
  ])('reports %s when a response was lost and the bucket has then the bytes', async (outcome, bytes, found) => {
    let puts = 0;
    const { storage } = await openWith((request, response) => {
      if (request.method === 'PUT' && (puts += 1) === 1) return response.socket?.destroy() !== undefined;
      if (request.method === 'GET') return response.end(found) !== undefined;
      return false;
    });
    expect(await storage.put('holdfast.json', [Buffer.from(bytes)])).toBe(outcome);
    expect(puts).toBe(2);
  });

  test('tells an object that the bucket does not give out from a bucket that cannot be reached', async () => {
    let isAway = false;
    const { storage } = await openWith((request, response) => {
      if (isAway) return response.destroy() !== undefined;
      if (request.method !== 'GET') return false;
      if (request.url?.includes('list-type'))
        return response.end('<ListBucketResult><Name>bucket</Name></ListBucketResult>') !== undefined;
      if (request.url?.includes('/bad')) return response.writeHead(500).end(code('InternalError')) !== undefined;
      return response.end('good') !== undefined;
    });
    await expect(storage.get('keys/bad')).rejects.toMatchObject({
      code: 'destination_unwritable',
      details: { problem: 'cut-off' },
    });
    expect(Buffer.from((await storage.get('keys/good'))!).toString()).toBe('good');
    isAway = true;
    await expect(storage.get('keys/bad')).rejects.toMatchObject({ code: 'service_unreachable' });
  });

  test.each([
    [403, 'AccessDenied', 'permission_denied', { bucket: 's3://bucket' }],
    [403, 'RequestTimeTooSkewed', 'clock_wrong', { address: 's3://bucket' }],
    [403, 'QuotaExceeded', 'destination_full', { directory: 's3://bucket' }],
    [507, 'InsufficientStorage', 'destination_full', { directory: 's3://bucket' }],
    [404, 'NoSuchBucket', 'destination_missing', { directory: 's3://bucket', problem: 'bucket' }],
    [400, 'Strange', 'service_broken', { address: 's3://bucket' }],
    [501, 'NotImplemented', 'usage', { problem: 'bucket-unconditional' }],
  ])('translates %i %s to %s', async (status, name, expected, details) => {
    const { storage } = await openWith(
      (_, response) => response.writeHead(status, { 'content-type': 'application/xml' }).end(code(name)) !== undefined,
    );
    await expect(storage.put('a', [Buffer.from('a')])).rejects.toMatchObject({ code: expected, details });
  });

  describe('when something else answers with success', () => {
    const strange = { code: 'service_broken', details: { address: 's3://bucket' } };
    const page = '<!doctype html><title>Welcome to the hotel</title>';
    const listing = (...names: readonly string[]) =>
      `<ListBucketResult><Name>bucket</Name>${names.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')}</ListBucketResult>`;

    test.each([
      ['nothing', ''],
      ['a page', page],
    ])('takes no file for stored, and no bucket for empty, with %s', async (_what, body) => {
      const { storage } = await openWith((_, response) => response.end(body) !== undefined);
      await expect(storage.put('packs/aa/pack', [Buffer.from('pack')])).rejects.toMatchObject(strange);
      await expect(listed(storage, 'packs/')).rejects.toMatchObject(strange);
    });

    test.each([
      ['of HTML', page, 'text/html; charset=utf-8'],
      ['of no type', '\n<html><body>Please sign in</body></html>', undefined],
      ['without a beginning', '<title>Welcome</title><p>Please sign in to the network', 'text/html'],
    ])('reads no page %s in the place of a file', async (_what, body, type) => {
      const { storage, requests } = await openWith(
        (_, response) =>
          response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body) !== undefined,
      );
      await expect(storage.get('packs/aa/pack')).rejects.toMatchObject(strange);
      await expect(storage.get('packs/aa/pack', { offset: 10, length: 5 })).rejects.toMatchObject(strange);
      expect(requests).toHaveLength(6);
    });

    test('reads a file of which the store thinks that it is a page', async () => {
      const bytes = Buffer.from('3c413e00ff17b1aa0102030405060708090a0b0c0d0e0f101112131415161718', 'hex');
      const { storage } = await openWith(
        (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(bytes) !== undefined,
      );
      expect(await storage.get('packs/aa/pack')).toEqual(bytes);
    });

    test('deletes nothing by a page', async () => {
      const { storage } = await openWith(
        (_, response) => response.end('<html><body>Please sign in</body></html>') !== undefined,
      );
      await expect(storage.delete('packs/aa/pack')).rejects.toMatchObject(strange);
    });

    test('stores a file when it does so once', async () => {
      let calls = 0;
      const { storage, requests } = await openWith((request, response) => {
        calls += 1;
        if (calls === 1) return response.end(page) !== undefined;
        if (request.method === 'HEAD') return response.writeHead(404).end() !== undefined;
        return response.writeHead(200, { etag: '"tag"' }).end() !== undefined;
      });
      expect(await storage.put('packs/aa/pack', [Buffer.from('pack')])).toBe('created');
      expect(requests.filter((request) => request.startsWith('PUT'))).toHaveLength(2);
    });

    test('takes a store without tags for a store', async () => {
      const { storage } = await openWith(
        (request, response) => request.method === 'HEAD' && response.setHeader('content-length', 4).end() !== undefined,
      );
      expect(await storage.put('packs/aa/pack', [Buffer.from('pack')])).toBe('created');
    });

    test.each([
      ['missing', [], undefined],
      ['broken', ['packs/aa/pack'], strange],
    ] as const)(
      'takes a file for %s by the listing, not by a page with the status 404',
      async (_is, names, failure) => {
        const { storage } = await openWith((request, response) =>
          request.url!.includes('list-type')
            ? response.end(listing(...names)) !== undefined
            : response.writeHead(404, { 'content-type': 'text/html' }).end(page) !== undefined,
        );
        const got = await storage.get('packs/aa/pack').catch((error: unknown) => error);
        if (failure) expect(got).toMatchObject(failure);
        else expect(got).toBe(undefined);
      },
    );
  });

  test('says that the keys may not delete', async () => {
    const { storage } = await openWith(
      (_, response) => response.writeHead(403).end(code('AccessDenied')) !== undefined,
    );
    await expect(storage.delete('a')).rejects.toMatchObject({
      code: 'permission_denied',
      details: { problem: 'bucket-delete' },
    });
  });

  test('says that a bucket is unreachable, which may pass', async () => {
    const storage = new BucketStorage({ ...BUCKET, endpoint: 'http://127.0.0.1:1' }, { attempts: 2 });
    await expect(storage.get('a')).rejects.toMatchObject({ code: 'service_unreachable', retryable: true });
  });
});

test.each([
  ['leads back to a part before it', '<NextContinuationToken>again</NextContinuationToken>'],
  ['does not say where it goes on', ''],
])('a listing that %s is no end of it, and ends', async (_what, next) => {
  const { storage, requests } = await openWith((request, response) => {
    if (request.method !== 'GET') return false;
    const entry = '<Contents><Key>computers/keys/a</Key><Size>1</Size></Contents>';
    response.setHeader('content-type', 'application/xml');
    response.end(`<ListBucketResult><IsTruncated>true</IsTruncated>${entry}${next}</ListBucketResult>`);
    return true;
  });
  await expect(listed(storage, 'keys/')).rejects.toMatchObject({ code: 'service_broken' });
  expect(requests.length).toBeLessThan(10);
});
