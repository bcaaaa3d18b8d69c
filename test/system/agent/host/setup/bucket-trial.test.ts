import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { setupMethods, type DestinationChoice } from '../../../../../src/ipc/contract/setup.ts';
import { bucketAddress } from '../../../../../src/storage/bucket/bucket-config.ts';
import { Bucket } from '../../../../../src/storage/bucket/bucket.ts';
import { HAS_S3, newBucket } from '../../../../helpers/s3/s3-server.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

/** Permissions that keys lack, or faults of a store. */
type Flaw =
  | 'clock'
  | 'write'
  | 'read'
  | 'list'
  | 'delete'
  | 'keeps'
  | 'versions'
  | 'alters'
  | 'overwrites'
  | 'loses'
  | 'hides'
  | 'busy';

/** The part of S3 that a trial needs, with one fault. Accepts any keys. */
class FlawedBucket {
  readonly #server: Server;
  readonly objects = new Map<string, Buffer>();
  /** The names of all objects that were stored. */
  readonly stored: string[] = [];
  flaw: Flaw | undefined;
  requests = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<FlawedBucket> {
    const bucket = new FlawedBucket();
    await new Promise<void>((resolve) => bucket.#server.listen(0, '127.0.0.1', resolve));
    return bucket;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await buffer(request);
    const refuse = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);
    };
    this.requests += 1;
    if (this.flaw === 'busy') return refuse(503, 'SlowDown');
    if (this.flaw === 'clock') return refuse(403, 'RequestTimeTooSkewed');
    if (request.method === 'PUT') {
      if (this.flaw === 'write') return refuse(403, 'AccessDenied');
      const isNew = request.headers['if-none-match'] === '*' && this.flaw !== 'overwrites';
      if (isNew && this.objects.has(pathname)) return refuse(412, 'PreconditionFailed');
      this.stored.push(pathname);
      if (this.flaw !== 'loses') this.objects.set(pathname, body);
      response.writeHead(200, { etag: '"1"' }).end();
    } else if (request.method === 'POST' && searchParams.has('delete')) {
      const keys = [...body.toString().matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key!);
      const isDenied = this.flaw === 'delete';
      if (!isDenied && this.flaw !== 'keeps') for (const key of keys) this.objects.delete(`/bucket/${key}`);
      const answerOf = (key: string): string =>
        isDenied ? `<Error><Key>${key}</Key><Code>AccessDenied</Code></Error>` : `<Deleted><Key>${key}</Key></Deleted>`;
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(`<DeleteResult>${keys.map((key) => answerOf(key)).join('')}</DeleteResult>`);
    } else if (searchParams.has('versioning')) {
      const status = this.flaw === 'versions' ? '<Status>Enabled</Status>' : '';
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(`<VersioningConfiguration>${status}</VersioningConfiguration>`);
    } else if (searchParams.has('list-type')) {
      if (this.flaw === 'list') return refuse(403, 'AccessDenied');
      const beginning = `/bucket/${searchParams.get('prefix')}`;
      const listed = this.flaw === 'hides' ? [] : [...this.objects].filter(([name]) => name.startsWith(beginning));
      const contents = listed.map(([name, { length }]) => {
        return `<Contents><Key>${name.slice('/bucket/'.length)}</Key><Size>${length}</Size></Contents>`;
      });
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(`<ListBucketResult><Name>bucket</Name>${contents.join('')}</ListBucketResult>`);
    } else {
      const found = this.objects.get(pathname);
      if (!found) return refuse(404, 'NoSuchKey');
      if (this.flaw === 'read') return refuse(403, 'AccessDenied');
      const bytes = Buffer.from(found);
      if (this.flaw === 'alters') bytes[0] = bytes[0]! ^ 1;
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1);
      response.writeHead(first === undefined ? 200 : 206, { 'content-length': part.length }).end(part);
    }
  }
}

let bucket: FlawedBucket;
let fixture: HandlerFixture;
let ask: Call<typeof setupMethods>;
beforeEach(async () => {
  bucket = await FlawedBucket.start();
  fixture = new HandlerFixture();
  ask = fixture.ask(setupMethods, setupHandlers(fixture.host()));
});
afterEach(async () => {
  fixture.close();
  await bucket.close();
});

const choice = (endpoint = bucket.endpoint): DestinationChoice => ({
  kind: 'bucket',
  address: 's3://bucket/laptop',
  endpoint,
  accessKeyId: 'key',
  secretAccessKey: 'secret',
});

const trial = (endpoint?: string) => ask('setup.try', { choice: choice(endpoint) });

describe('the trial of a bucket', () => {
  test('writes an object, reads and lists it, and deletes it', async () => {
    expect(await trial()).toEqual({ location: 's3://bucket/laptop', holdsBackups: false, cautions: [] });
    expect([...bucket.objects]).toEqual([]);
    expect(bucket.stored).toEqual([expect.stringMatching(/^\/bucket\/laptop\/keys\/trial-[0-9a-f]+$/)]);
  });

  test.each([
    ['write', 'permission_denied', 'bucket-write'],
    ['read', 'permission_denied', 'bucket-read'],
    ['list', 'permission_denied', 'bucket-read'],
    ['alters', 'destination_unfit', 'altered'],
    ['loses', 'destination_unfit', 'altered'],
    ['hides', 'destination_unfit', 'unlisted'],
    ['overwrites', 'usage', 'bucket-unconditional'],
  ] as const)('reports the flaw: %s', async (flaw, code, problem) => {
    bucket.flaw = flaw;
    const failure = await failureFrom(trial());
    expect(failure).toMatchObject({ code, details: { problem } });
    expect(JSON.stringify(failure)).toContain('s3://bucket/laptop');
    expect([...bucket.objects]).toEqual([]);
  });

  test('opens backups with keys that may only read, from another computer, and says that none can be added', async () => {
    const setup = { choice: choice(), deviceName: 'laptop' };
    await ask('setup.finish', setup);
    const phrase = await fixture.agent.recoveryPhrase();
    bucket.flaw = 'write';
    expect(await trial()).toMatchObject({ holdsBackups: true, cautions: ['read-only'] });
    const other = new HandlerFixture();
    onTestFinished(() => other.close());
    const askOther = other.ask(setupMethods, setupHandlers(other.host()));
    expect(await askOther('setup.finish', { ...setup, deviceName: 'other', phrase })).toMatchObject({
      isAdopted: true,
    });
    expect(other.agent.settings()?.destination).toMatchObject({ kind: 'bucket' });
  });

  test.each(['delete', 'keeps'] as const)('cautions that the bucket only grows: %s', async (flaw) => {
    bucket.flaw = flaw;
    expect(await trial()).toMatchObject({ cautions: ['grows'] });
  });

  test('cautions that the bucket keeps old versions of what is deleted', async () => {
    bucket.flaw = 'versions';
    expect(await trial()).toMatchObject({ cautions: ['versions'] });
  });

  test('reports a wrong clock, whatever the keys may do', async () => {
    bucket.flaw = 'clock';
    expect(await failureFrom(trial())).toEqual({ code: 'clock_wrong', details: { address: 's3://bucket/laptop' } });
  });

  test('gives up soon when the store does not respond', async () => {
    bucket.flaw = 'busy';
    expect(await failureFrom(trial())).toMatchObject({ code: 'service_unreachable' });
    expect(bucket.requests).toBeLessThan(5);
  });

  test.skipIf(!HAS_S3)('leaves nothing in a real bucket (scripts/install-test-tools.sh)', async () => {
    const config = await newBucket();
    const { endpoint, region, credentials } = config;
    const address = bucketAddress(config);
    const destination = { kind: 'bucket', address, endpoint, region, ...credentials } as const;
    expect(await ask('setup.try', { choice: destination })).toEqual({
      location: address,
      holdsBackups: false,
      cautions: [],
    });
    const opened = new Bucket(config);
    expect(await opened.list('')).toEqual([]);
    opened.close();
  });
});
