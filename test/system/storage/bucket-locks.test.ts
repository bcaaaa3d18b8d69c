import { DeleteObjectCommand, ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BucketStorage } from '../../../src/storage/s3/bucket-storage.ts';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { describeStorage, listed } from '../../unit/storage/contract.ts';

const DAY = 86_400_000;
const NAME = `packs/aa/${'a'.repeat(64)}`;
const BYTES = Buffer.from('what was backed up');

describe.skipIf(!HAS_S3)('with an object store (scripts/install-test-tools.sh)', () => {
  const newPlace = async () => {
    const bucket = await newBucket('computers/holdfast/', { hasLocks: true });
    await new BucketStorage(bucket).put('holdfast.json', [Buffer.from('{}')]);
    return {
      open: async () => {
        const storage = new BucketStorage(bucket);
        await storage.locks.isSupported();
        return storage;
      },
    };
  };
  // Ceph ignores `If-None-Match` in a bucket with versions.
  describeStorage('bucket with object lock', newPlace, { isRacy: true });

  let config: BucketConfig;
  let storage: BucketStorage;
  let thief: S3Client;
  beforeEach(async () => {
    config = await newBucket('laptop/', { hasLocks: true });
    storage = new BucketStorage(config);
    const { endpoint, region, credentials } = config;
    const { accessKeyId, secretAccessKey } = credentials;
    thief = new S3Client({
      endpoint: endpoint!,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    });
    return async () => {
      thief.destroy();
      await storage[Symbol.asyncDispose]();
    };
  });

  const stolen = (name: string) => ({ Bucket: config.bucket, Key: `laptop/${name}` });
  const deleteAsThief = (name: string) => thief.send(new DeleteObjectCommand(stolen(name)));
  const versions = async (name: string) =>
    (await thief.send(new ListObjectVersionsCommand({ Bucket: config.bucket, Prefix: `laptop/${name}` }))).Versions ??
    [];

  test('is known to lock only where the bucket was created so', async () => {
    expect(await storage.locks.isSupported()).toBe(true);
    expect(await new BucketStorage(await newBucket()).locks.isSupported()).toBe(false);
  });

  test('refuses to delete a locked file, and says until when', async () => {
    storage.locks.period = 2 * DAY;
    await storage.put(NAME, [BYTES]);
    const refusal = await storage.delete(NAME).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'permission_denied', details: { problem: 'bucket-delete' } });
    const { lockedUntil } = (refusal as { details: { lockedUntil: number } }).details;
    // The store counts whole seconds.
    expect(lockedUntil).toBeGreaterThan(Date.now() + 1.9 * DAY);
    expect(lockedUntil).toBeLessThan(Date.now() + 2.1 * DAY);
    expect(storage.locks.takeCreated().get(NAME)).toBe(lockedUntil);
    expect(storage.locks.takeCreated().size).toBe(0);
    expect(await storage.get(NAME)).toEqual(BYTES);
    const [version] = await versions(NAME);
    await expect(
      thief.send(new DeleteObjectCommand({ ...stolen(NAME), VersionId: version!.VersionId })),
    ).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  test('locks no key envelope when it is created, and nothing without a period', async () => {
    await storage.put(NAME, [BYTES]);
    storage.locks.period = DAY;
    await storage.put('keys/envelope', [BYTES]);
    for (const name of [NAME, 'keys/envelope']) {
      await storage.delete(name);
      expect(await storage.get(name)).toBeUndefined();
      expect(await versions(name)).toEqual([]);
    }
  });

  test('extends a lock, and tells when one lasts longer', async () => {
    await storage.put(NAME, [BYTES]);
    const end = Math.ceil(Date.now() / 1000) * 1000 + 3 * DAY;
    expect(await storage.locks.extend(NAME, end)).toBe(end);
    expect(await storage.locks.extend(NAME, end - DAY)).toBe(end);
    await expect(storage.delete(NAME)).rejects.toMatchObject({ details: { lockedUntil: end } });
    expect(await storage.locks.extend('packs/none', end)).toBeUndefined();
  });

  test('shows a file again that somebody deleted', async () => {
    storage.locks.period = DAY;
    await storage.put(NAME, [BYTES]);
    await storage.put('ledger/kept', [BYTES]);
    await deleteAsThief(NAME);
    await deleteAsThief(NAME);
    await deleteAsThief('never-there');
    expect(await storage.get(NAME)).toBeUndefined();
    expect(await listed(storage, 'packs/')).toEqual([]);
    expect(await storage.locks.extend(NAME, Date.now() + 5 * DAY)).toBeUndefined();
    expect(await storage.locks.hidden('')).toEqual([NAME]);
    expect(await storage.locks.hidden('ledger/')).toEqual([]);
    expect(await storage.locks.show(NAME)).toBe(true);
    expect(await storage.get(NAME)).toEqual(BYTES);
    expect(await storage.locks.hidden('')).toEqual([]);
  });

  test('finds the version that is right under others', async () => {
    storage.locks.period = DAY;
    await storage.put(NAME, [BYTES]);
    const isRight = (bytes: Uint8Array): boolean => BYTES.equals(bytes);
    expect(await storage.locks.restore(NAME, isRight)).toBe(true);
    expect(await versions(NAME)).toHaveLength(1);
    await thief.send(new PutObjectCommand({ ...stolen(NAME), Body: 'junk' }));
    await deleteAsThief(NAME);
    expect(await storage.locks.restore(NAME, isRight)).toBe(true);
    expect(await storage.get(NAME)).toEqual(BYTES);
    await expect(storage.delete(NAME)).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await storage.locks.restore(NAME, () => false)).toBe(false);
    expect(await storage.locks.restore('packs/none', isRight)).toBe(false);
  });

  test('deletes all versions of a file that is not locked', async () => {
    await storage.locks.isSupported();
    await storage.put(NAME, [BYTES]);
    await thief.send(new PutObjectCommand({ ...stolen(NAME), Body: 'junk' }));
    await storage.put(`${NAME}b`, [BYTES]);
    await storage.delete(NAME);
    expect((await versions(NAME)).map(({ Key }) => Key)).toEqual([`laptop/${NAME}b`]);
  });

  test('does not replace a file although the store would', async () => {
    await storage.locks.isSupported();
    expect(await storage.put(NAME, [BYTES])).toBe('created');
    expect(await storage.put(NAME, [Buffer.from('junk')])).toBe('exists');
    expect(await versions(NAME)).toHaveLength(1);
  });
});

interface Recorded {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
}

const ENABLED = `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`;

/** A bucket that a test controls. It has object lock, and is empty. */
async function openWith(answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false) {
  const requests: Recorded[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      await buffer(request);
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const query = ['object-lock', 'versions', 'retention'].find((name) => searchParams.has(name));
      requests.push({ line: `${request.method} ${pathname}${query ? `?${query}` : ''}`, headers: request.headers });
      if (answer(request, response)) return;
      if (query === 'object-lock') return void response.end(ENABLED);
      response.writeHead(request.method === 'PUT' ? 200 : 404, { etag: '"tag"' }).end();
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const storage = new BucketStorage(
    { bucket: 'bucket', prefix: '', region: 'here', endpoint, credentials },
    { attempts: 2 },
  );
  onTestFinished(async () => {
    await storage[Symbol.asyncDispose]();
    server.close();
  });
  return { storage, requests, lines: () => requests.map(({ line }) => line) };
}

describe('bucket locks', () => {
  test('cost one request for a run, and one for each file that is created', async () => {
    const { storage, lines } = await openWith();
    storage.locks.period = DAY;
    await storage.put(NAME, [BYTES]);
    await storage.put('ledger/b', [BYTES]);
    expect(lines()).toEqual([
      'GET /bucket/?object-lock',
      `HEAD /bucket/${NAME}`,
      `PUT /bucket/${NAME}`,
      'HEAD /bucket/ledger/b',
      'PUT /bucket/ledger/b',
    ]);
  });

  test('cost nothing while nothing is locked', async () => {
    const { storage, lines } = await openWith();
    await storage.put(NAME, [BYTES]);
    expect(lines()).toEqual([`PUT /bucket/${NAME}`]);
  });

  test('are stated with a checksum, so that nobody can shorten them', async () => {
    const { storage, requests } = await openWith();
    storage.locks.period = DAY;
    await storage.put(NAME, [BYTES]);
    const { headers } = requests.at(-1)!;
    expect(headers['x-amz-object-lock-mode']).toBe('COMPLIANCE');
    expect(headers['content-md5']).toBe(createHash('md5').update(BYTES).digest('base64'));
    expect(headers['if-none-match']).toBe('*');
    const until = Date.parse(String(headers['x-amz-object-lock-retain-until-date']));
    expect(until - Date.now()).toBeGreaterThan(DAY / 2);
    // A store states its time in seconds.
    expect(until - Date.now()).toBeLessThanOrEqual(DAY + 1_000);
  });

  test('end by the clock of the store when this computer is years ahead', async () => {
    const storeTime = Date.now() - 1_000 * DAY;
    const { storage, requests } = await openWith((_, response) => {
      response.setHeader('date', new Date(storeTime).toUTCString());
      return false;
    });
    storage.locks.period = DAY;
    await storage.put(NAME, [BYTES]);
    const until = Date.parse(String(requests.at(-1)!.headers['x-amz-object-lock-retain-until-date']));
    expect(Math.abs(until - storeTime - DAY)).toBeLessThan(DAY / 2);
  });

  test.each([
    [404, 'ObjectLockConfigurationNotFoundError'],
    [403, 'AccessDenied'],
    [501, 'NotImplemented'],
    [405, 'MethodNotAllowed'],
    [400, 'InvalidRequest'],
  ])('are not there when the store responds %i %s', async (status, code) => {
    const { storage, lines } = await openWith((request, response) => {
      if (!request.url?.includes('object-lock')) return false;
      return response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`) !== undefined;
    });
    storage.locks.period = DAY;
    expect(await storage.locks.isSupported()).toBe(false);
    await storage.put(NAME, [BYTES]);
    expect(lines()).toEqual(['GET /bucket/?object-lock', `PUT /bucket/${NAME}`]);
  });

  test.each([
    [404, 'NoSuchBucket', 'destination_missing'],
    [403, 'SignatureDoesNotMatch', 'permission_denied'],
    [503, 'SlowDown', 'service_unreachable'],
  ])('are asked for again when the store responds %i %s', async (status, code, expected) => {
    let isUp = false;
    const { storage } = await openWith((request, response) => {
      if (isUp || !request.url?.includes('object-lock')) return false;
      return response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`) !== undefined;
    });
    await expect(storage.locks.isSupported()).rejects.toMatchObject({ code: expected });
    isUp = true;
    expect(await storage.locks.isSupported()).toBe(true);
  });
});
