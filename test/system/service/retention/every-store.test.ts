import { describe, expect, test } from 'vitest';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import type { BlobKey } from '../../../../src/service/objects/object-store.ts';
import { openStores } from '../../../../src/service/open-stores.ts';
import type { Stores } from '../../../../src/service/open-stores.ts';
import { performRetention } from '../../../../src/service/retention/retention.ts';
import { postgresDatabase } from '../../../helpers/postgres/postgres.ts';
import { HAS_S3, newBucket } from '../../../helpers/s3/s3-server.ts';
import { compressedChunk, file, temporaryDirectory, TestClock, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestChunk, TestDevice, TestFile } from '../../../unit/service/harness.ts';

const DAY = 24 * 3_600_000;

/** Opens the same stores each time, as from another computer if the stores allow that. */
type Opener = () => Promise<{ readonly stores: Stores; readonly folder: string }>;

/** A service whose blobs are stored without HTTP, since a bucket's URLs expire in real time and days pass in this test. */
class StoreFixture {
  readonly #service: TestService;
  readonly #device: TestDevice;

  private constructor(service: TestService, device: TestDevice) {
    this.#service = service;
    this.#device = device;
  }

  static async open(opener: Opener, clock = new TestClock(), device?: TestDevice): Promise<StoreFixture> {
    const { stores, folder } = await opener();
    if (!(await stores.metadata.accounts.firstAccount())) await stores.metadata.accounts.createAccount(clock.now());
    const service = await TestService.over(stores, folder, clock);
    service.service.keepHouse();
    return new StoreFixture(service, device ?? (await service.register()));
  }

  /** Closes the service and opens it again after some milliseconds. */
  async again(opener: Opener, after = 0): Promise<StoreFixture> {
    await this.#service.close();
    this.#service.clock.advance(after);
    return StoreFixture.open(opener, this.#service.clock, this.#device);
  }

  async pass(milliseconds: number): Promise<void> {
    this.#service.clock.advance(milliseconds);
    await this.#service.service.tidy();
  }

  /** Starts a session and uploads everything that it needs. */
  async begin(set: string, files: readonly TestFile[]): Promise<string> {
    const init = await this.#service.init(await this.#signedIn(), set, files);
    expect(init.status).toBe(200);
    const byHash = new Map(files.flatMap(({ chunks }) => chunks.map((one) => [one.hash, one] as const)));
    const blobs = (init.body.chunks_needed as { hash: string }[]).map(({ hash }) => ({
      hash,
      bytes: byHash.get(hash)!.blob,
      size: byHash.get(hash)!.size,
    }));
    const { context } = this.#service.service;
    const session = await context.metadata.sessions.find(init.body.session_id as string);
    await putBlobs(context, session!, blobs);
    return session!.id;
  }

  async complete(session: string): Promise<string> {
    const run = await this.#service.complete(await this.#signedIn(), session);
    expect(run.status).toBe(200);
    return run.body.backup_id as string;
  }

  async abort(session: string): Promise<void> {
    const { token } = await this.#signedIn();
    await this.#service.post('/functions/v1/backup/abort', token, { session_id: session });
  }

  async remove(set: string, backupId: string): Promise<void> {
    const request = { device_id: this.#device.id, backup_set: set, action: 'remove', backup_id: backupId } as const;
    await performRetention(this.#service.service.context, this.#service.accountId, request);
  }

  async keyOf({ hash, blob }: TestChunk): Promise<BlobKey | undefined> {
    const { metadata } = this.#service.service.context;
    const digest = hash.slice('sha256:'.length);
    const account = await metadata.accounts.findAccount(this.#service.accountId);
    const [row] = await metadata.chunks.find(account!.number, [Buffer.from(digest, 'hex')]);
    return row && { accountId: this.#service.accountId, chunkId: row.id, digest, size: blob.length };
  }

  get(keys: readonly BlobKey[]): Promise<(Uint8Array | undefined)[]> {
    return this.#service.service.context.objects.get(keys);
  }

  async used(): Promise<number> {
    return (await this.#service.service.context.metadata.accounts.findAccount(this.#service.accountId))!.storageUsed;
  }

  /** Expects that the newest restore point has these files, and the storage their blobs. */
  async expectWhole(set: string, files: readonly TestFile[]): Promise<void> {
    const manifest: Answer = await this.#service.manifest(await this.#signedIn(), set);
    expect((manifest.body.files as TestFile[]).map(({ path }) => path)).toEqual(files.map(({ path }) => path));
    const chunks = files.flatMap((one) => one.chunks);
    const keys = await Promise.all(chunks.map((one) => this.keyOf(one)));
    const blobs = await this.get(keys.map((key) => key!));
    expect(blobs.map((bytes) => bytes && Buffer.from(bytes))).toEqual(chunks.map(({ blob }) => Buffer.from(blob)));
  }

  async #signedIn(): Promise<TestDevice> {
    return { ...this.#device, token: await this.#service.tokenOf(this.#device.id) };
  }
}

const bytesOf = (...chunks: readonly TestChunk[]) => chunks.reduce((sum, { blob }) => sum + blob.length, 0);

function openerOf(open: (folder: string) => Promise<Stores>): Opener {
  return async () => {
    const folder = await temporaryDirectory();
    return { stores: await open(folder), folder };
  };
}

const STORES: readonly (readonly [name: string, prepare: () => Promise<Opener>])[] = [
  [
    'SQLite and a folder',
    async () => {
      const folder = await temporaryDirectory();
      return async () => ({ stores: await openStores(folder, { create: true }), folder });
    },
  ],
  [
    'PostgreSQL and a folder',
    async () => {
      const [folder, database] = [await temporaryDirectory(), await postgresDatabase()];
      return async () => ({ stores: await openStores(folder, { create: true, database }), folder });
    },
  ],
  ...(HAS_S3
    ? ([
        [
          'PostgreSQL and a bucket',
          async () => {
            const [database, bucket] = [await postgresDatabase(), await newBucket('some/prefix/')];
            return openerOf((folder) => openStores(folder, { create: true, database, bucket }));
          },
        ],
      ] as const)
    : []),
];

describe.each(STORES)('collecting chunks with %s', (_, prepare) => {
  test('deletes unreferenced chunks with their blobs, and nothing else', async () => {
    const chunk = (content: string | number) => compressedChunk(content, 250_000);
    const opener = await prepare();
    let fixture = await StoreFixture.open(opener);
    const [kept, other, small, large] = [chunk('kept'), chunk(150_000), chunk('small'), chunk(200_000)];
    const [again, orphan] = [chunk(180_000), chunk(140_000)];
    const first = await fixture.complete(
      await fixture.begin('docs', [file('/a', [kept, small]), file('/b', [large]), file('/c', [again])]),
    );
    await fixture.complete(await fixture.begin('docs', [file('/a', [kept]), file('/d', [other])]));
    await fixture.abort(await fixture.begin('docs', [file('/x', [orphan])]));
    const gone = [(await fixture.keyOf(small))!, (await fixture.keyOf(large))!];
    const orphaned = await fixture.keyOf(orphan);

    // The service reports a chunk as stored before it is condemned and afterwards.
    const before = await fixture.begin('photos', [file('/p', [again])]);
    await fixture.remove('docs', first);
    fixture = await fixture.again(opener);
    await fixture.pass(0);
    await fixture.complete(before);
    const after = await fixture.begin('music', [file('/m', [again, kept])]);
    await fixture.pass(2 * 3_600_000);
    await fixture.complete(after);

    // The chunks of the removed restore point are deleted a day later, those of the failed session within another week.
    fixture = await fixture.again(opener, DAY);
    for (const days of [0, 1, 7, 1, 1]) await fixture.pass(days * DAY);
    expect(await fixture.used()).toBe(bytesOf(kept, other, again));
    expect(await fixture.get(gone)).toEqual([undefined, undefined]);
    if (orphaned) expect(await fixture.get([orphaned])).toEqual([undefined]);
    expect(await fixture.keyOf(large)).toBeUndefined();
    await fixture.expectWhole('docs', [file('/a', [kept]), file('/d', [other])]);
    await fixture.expectWhole('photos', [file('/p', [again])]);
    await fixture.expectWhole('music', [file('/m', [again, kept])]);

    // Deleted chunks are uploaded again, and stay.
    await fixture.complete(await fixture.begin('docs', [file('/a', [kept]), file('/b', [large])]));
    fixture = await fixture.again(opener, 9 * DAY);
    await fixture.pass(0);
    await fixture.pass(DAY);
    await fixture.expectWhole('docs', [file('/a', [kept]), file('/b', [large])]);
    expect(await fixture.get(gone)).toEqual([undefined, undefined]);
  });
});
