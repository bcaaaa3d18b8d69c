import BetterSqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEmbeddedService } from '../../src/service/embedded/embedded.ts';
import type { EmbeddedService } from '../../src/service/embedded/embedded.ts';
import { abandonBucket, lookIntoBucket } from '../../src/service/embedded/home-bucket.ts';
import type { BucketConfig } from '../../src/s3/bucket-config.ts';
import { Bucket } from '../../src/s3/bucket.ts';
import { METADATA_FILE } from '../../src/service/store/database/sqlite-connection.ts';
import { HAS_S3, newBucket } from '../helpers/s3/s3-server.ts';
import { file, manifestEntry, STATS, temporaryDirectory } from './harness.ts';
import type { TestFile } from './harness.ts';

/** Computers that share a bucket and a key. */
class SharedHome {
  readonly config: BucketConfig;
  readonly #metadataKey = randomBytes(32);

  private constructor(config: BucketConfig) {
    this.config = config;
  }

  static async make(): Promise<SharedHome> {
    return new SharedHome(await newBucket('home/'));
  }

  /** @param directory for the metadata on that computer */
  async open(directory: string): Promise<EmbeddedService> {
    const bucket = { config: this.config, metadataKey: this.#metadataKey, keyEnvelope: Buffer.from('envelope') };
    const service = await openEmbeddedService(directory, { create: true, bucket });
    let isClosed = false;
    const close = service.close.bind(service);
    service.close = async () => {
      if (!isClosed) await close();
      isClosed = true;
    };
    onTestFinished(() => service.close());
    return service;
  }

  async openElsewhere(): Promise<EmbeddedService> {
    return this.open(await temporaryDirectory());
  }

  async blobs(): Promise<readonly string[]> {
    const bucket = new Bucket(this.config);
    const listed = await bucket.list('objects/');
    bucket.close();
    return listed.map(({ name }) => name);
  }
}

class Device {
  readonly #service: EmbeddedService;
  readonly #id: string;

  constructor(service: EmbeddedService, id: string) {
    this.#service = service;
    this.#id = id;
  }

  static async register(service: EmbeddedService): Promise<Device> {
    const { deviceId } = await service.registerDevice({ name: 'laptop', os: 'linux', agent_version: '1' });
    return new Device(service, deviceId);
  }

  /** The same device in another session of its program. */
  in(service: EmbeddedService): Device {
    return new Device(service, this.#id);
  }

  async post(path: string, body: object | string) {
    const token = await this.#service.deviceToken(this.#id);
    const request = {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
    const answer = await this.#service.fetch(new Request(`http://holdfast.embedded/functions/v1/${path}`, request));
    const text = await answer.text();
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as JSON without a schema
    return { status: answer.status, body: (text === '' ? {} : (JSON.parse(text) as unknown)) as any };
  }

  async begin(set: string, files: readonly TestFile[]): Promise<string> {
    const init = await this.post('backup/init', this.manifest(set, files));
    expect(init.status).toBe(200);
    const needed = new Set((init.body.chunks_needed as { hash: string }[]).map(({ hash }) => hash));
    const blobs = files.flatMap(({ chunks }) => chunks).filter(({ hash }) => needed.has(hash));
    const session = init.body.session_id as string;
    await this.#service.putBlobs(
      session,
      blobs.map(({ hash, size, blob }) => ({ hash, bytes: blob, size })),
    );
    return session;
  }

  manifest(set: string, files: readonly TestFile[]) {
    return { device_id: this.#id, backup_set: set, files: files.map(manifestEntry) };
  }

  async complete(session: string): Promise<number> {
    return (await this.post('backup/complete', { session_id: session, stats: STATS })).status;
  }

  async backUp(set: string, files: readonly TestFile[]): Promise<number> {
    return this.complete(await this.begin(set, files));
  }

  /** Yields the blobs of the newest restore point; `undefined` for a missing one. */
  async restore(set: string): Promise<(Uint8Array | undefined)[]> {
    const place = { backup_set: set, point_in_time: '2100-01-01T00:00:00Z', path: '', recursive: true };
    const manifest = await this.post('restore/manifest', { device_id: this.#id, ...place });
    expect(manifest.status).toBe(200);
    const hashes = (manifest.body.files as { chunks: string[] }[]).flatMap(({ chunks }) => chunks);
    return this.#service.getBlobs(manifest.body.restore_session_id as string, hashes);
  }
}

/** Resolves when the data of failed sessions is deleted. */
async function untilSwept(directory: string): Promise<void> {
  const database = new BetterSqlite(join(directory, METADATA_FILE), { readonly: true });
  const left = database.prepare(`SELECT 1 FROM session WHERE state = 'failed' AND swept = 0`);
  while (left.get() !== undefined) await new Promise(setImmediate);
  database.close();
}

describe.skipIf(!HAS_S3)('a home in a bucket (scripts/install-test-tools.sh)', () => {
  const files = [file('/a', ['one', 'two']), file('/b', ['three'])];

  test('fails a run whose metadata another computer replaced meanwhile', async () => {
    const home = await SharedHome.make();
    const directory = await temporaryDirectory();
    const running = await home.open(directory);
    const device = await Device.register(running);
    const session = await device.begin('docs', files);

    const other = await home.openElsewhere();
    expect(await (await Device.register(other)).backUp('theirs', files)).toBe(200);

    // A window that only reads adopts the other computer's metadata beside the run.
    const asking = await home.open(directory);
    expect(await asking.listDevices()).toHaveLength(2);
    expect(await device.complete(session)).toBe(409);
  });

  test('cannot be claimed or released with another key', async () => {
    const home = await SharedHome.make();
    const first = await home.openElsewhere();
    const envelope = Buffer.from('of somebody else');
    const other = { config: home.config, metadataKey: randomBytes(32), keyEnvelope: envelope };
    const directory = await temporaryDirectory();
    const opening = openEmbeddedService(directory, { create: true, bucket: other });
    onTestFinished(() =>
      opening.then(
        (service) => service.close(),
        () => undefined,
      ),
    );
    await expect(opening).rejects.toMatchObject({ code: 'store_unrecognised' });
    await abandonBucket(home.config, directory, envelope);
    expect(await lookIntoBucket(home.config)).toEqual(Buffer.from('envelope'));
    expect(await (await Device.register(first)).backUp('docs', files)).toBe(200);
  });

  test('keeps a blob of another computer with the same chunk number', async () => {
    const home = await SharedHome.make();
    const directory = await temporaryDirectory();
    const other = await home.openElsewhere();
    const theirs = await Device.register(other);
    const running = await home.open(directory);
    const device = await Device.register(running);
    await other.close();

    // Both continue from the same generation. An aborted manifest has announced a chunk, and uploads nothing.
    const again = await home.openElsewhere();
    const shared = file('/shared', ['the same on both']);
    const many = Array.from({ length: 4_200 }, (_, index) => ({
      ...shared,
      path: `/${String(index).padStart(5, '0')}`,
    }));
    const brokenOff = JSON.stringify(device.manifest('docs', many)).slice(0, -100);
    expect((await device.post('backup/init', brokenOff)).status).toBe(400);
    expect(await theirs.in(again).backUp('theirs', [shared])).toBe(200);
    const before = await home.blobs();
    expect(before).toHaveLength(1);

    // Its announced chunks are deleted when the next session ends.
    const { session_id: session } = (await device.post('backup/open', device.manifest('docs', []))).body;
    await device.post('backup/abort', { session_id: session });
    await untilSwept(directory);
    expect(await home.blobs()).toEqual(before);
    expect(await theirs.in(again).restore('theirs')).toEqual([shared.chunks[0]!.blob]);
  });
});
