import { ListObjectVersionsCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import { HAS_S3 } from '../../helpers/s3/s3-server.ts';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { inBucket } from './real-stores.ts';
import { newWorkplace } from './store-journey.ts';
import type { Workplace } from './workplace.ts';

const FILE_BYTES = 1_000_000;

interface Freed {
  readonly now_bytes: number;
  readonly freed_bytes: number;
  readonly kept_bytes: number;
  readonly keeps_deleted: boolean;
}

/** A bucket, seen by somebody else. */
class Store implements Disposable {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ endpoint, region, credentials, bucket }: BucketConfig) {
    const { accessKeyId, secretAccessKey } = credentials;
    this.#client = new S3Client({
      endpoint: endpoint!,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    });
    this.#bucket = bucket;
  }

  async keepVersions(Status: 'Enabled' | 'Suspended'): Promise<void> {
    await this.#client.send(
      new PutBucketVersioningCommand({ Bucket: this.#bucket, VersioningConfiguration: { Status } }),
    );
  }

  /** Bytes of all versions. */
  async used(): Promise<number> {
    const { Versions = [] } = await this.#client.send(new ListObjectVersionsCommand({ Bucket: this.#bucket }));
    return Versions.reduce((sum, { Size = 0 }) => sum + Size, 0);
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}

describe.skipIf(!HAS_S3)('a bucket that keeps old versions and has no object lock', () => {
  /** Three backups of a megabyte each in a bucket whose versions are kept from then on; the first is removed. */
  async function begin(): Promise<{ readonly workplace: Workplace; readonly store: Store; readonly removed: string }> {
    const workplace = newWorkplace();
    const { where, config } = await inBucket(workplace);
    const store = new Store(config);
    onTestFinished(() => store[Symbol.dispose]());
    await workplace.json(['setup', ...where]);
    await store.keepVersions('Enabled');
    mkdirSync(workplace.path('source'));
    await workplace.addSet('documents', workplace.path('source'));
    const points: string[] = [];
    for (let run = 1; run <= 3; run += 1) {
      writeFileSync(workplace.path('source', 'file'), seededBytes(FILE_BYTES, String(run)));
      const { stdout } = await workplace.run('backup', 'documents', '--json');
      points.push((JSON.parse(stdout) as { readonly restore_point: string }).restore_point);
    }
    return { workplace, store, removed: points[0]! };
  }

  test('does not count as freed what it keeps, and says so', async () => {
    const { workplace, store, removed } = await begin();
    const { stdout } = await workplace.run('points', 'remove', 'documents', removed, '--yes');
    expect(stdout).toContain('keeps old versions of what is deleted');
    const before = await store.used();
    const plan = await workplace.json<Freed>(['free', '--dry-run']);
    expect(plan).toMatchObject({ now_bytes: 0, kept_bytes: expect.closeTo(FILE_BYTES, -5), keeps_deleted: true });
    const freed = await workplace.run('free', '--yes', '--json');
    expect(freed.status).toBe(3);
    const report = JSON.parse(freed.stdout) as Freed;
    expect(report).toMatchObject({ freed_bytes: 0, kept_bytes: expect.closeTo(FILE_BYTES, -5), keeps_deleted: true });
    expect(await store.used()).toBeGreaterThanOrEqual(before);
    const again = await workplace.run('free', '--yes');
    expect([again.status, again.stdout]).toEqual([3, expect.stringContaining('keeps old versions of what is deleted')]);
    expect(again.stdout).not.toContain('Freed');
  });

  test('frees what was stored after that was suspended', async () => {
    const { workplace, store, removed } = await begin();
    await store.keepVersions('Suspended');
    writeFileSync(workplace.path('source', 'file'), seededBytes(FILE_BYTES, 'later'));
    const { stdout } = await workplace.run('backup', 'documents', '--json');
    const later = (JSON.parse(stdout) as { readonly restore_point: string }).restore_point;
    writeFileSync(workplace.path('source', 'file'), seededBytes(FILE_BYTES, 'newest'));
    await workplace.run('backup', 'documents');
    for (const point of [removed, later]) await workplace.run('points', 'remove', 'documents', point, '--yes');
    const before = await store.used();
    const freed = await workplace.run('free', '--yes', '--json');
    const report = JSON.parse(freed.stdout) as Freed;
    expect(report).toMatchObject({
      freed_bytes: expect.closeTo(FILE_BYTES, -5),
      kept_bytes: expect.closeTo(FILE_BYTES, -5),
      keeps_deleted: true,
    });
    expect(before - (await store.used())).toBeGreaterThan(0.9 * FILE_BYTES);
  });
});
