import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Bucket } from '../../../src/storage/bucket/bucket.ts';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { Workplace } from './workplace.ts';

const DAY = 86_400_000;
const DAYS = 7;

describe.skipIf(!HAS_S3)('backups in a bucket with object lock (scripts/install-test-tools.sh)', () => {
  let workplace: Workplace;
  let config: BucketConfig;
  let where: readonly string[];
  let bucket: Bucket;
  beforeEach(async () => {
    workplace = new Workplace();
    config = await newBucket('', { hasLocks: true });
    workplace.environment['AWS_ACCESS_KEY_ID'] = config.credentials.accessKeyId;
    workplace.environment['AWS_SECRET_ACCESS_KEY'] = config.credentials.secretAccessKey;
    where = ['--destination', `s3://${config.bucket}/laptop`, '--endpoint', config.endpoint!];
    bucket = new Bucket({ ...config, prefix: 'laptop/' });
    await buildTree(workplace.path('source'), { 'a.txt': file('content'), 'b.bin': file({ seed: 5, size: 300_000 }) });
  });
  afterEach(() => {
    bucket.close();
    workplace[Symbol.dispose]();
  });

  const names = async (folder = ''): Promise<string[]> => (await bucket.list(folder)).map(({ name }) => name);

  async function setUpAndBackUp(): Promise<{ phrase: string; device: string }> {
    const made = await workplace.json<{ recovery_phrase: string; device_id: string }>([
      'setup',
      ...where,
      '--object-lock',
      String(DAYS),
    ]);
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
    return { phrase: made.recovery_phrase, device: made.device_id };
  }

  async function expectRestored(words: readonly string[] = []): Promise<void> {
    await workplace.json(['restore', 'documents', '--to', workplace.path('target'), ...words]);
    expect(await compareTrees(workplace.path('source'), workplace.path('target/source'))).toEqual([]);
  }

  test('cannot be deleted by somebody with the keys, and a repair finds them after everything was hidden', async () => {
    await setUpAndBackUp();
    // What may be given up for room is not locked.
    const reserve = 'reserve/space';
    expect(await bucket.versions.lockedUntil(reserve, undefined)).toBeUndefined();
    const all = (await names()).filter((name) => name !== reserve);
    expect(all.length).toBeGreaterThanOrEqual(5);
    for (const name of all) {
      expect(await bucket.versions.lockedUntil(name, undefined)).toBeGreaterThan(Date.now() + DAYS * DAY);
      for (const { id } of await bucket.versions.of(name)) {
        await expect(bucket.versions.delete(name, id)).rejects.toMatchObject({ problem: 'denied' });
      }
    }
    const [pack] = await names('packs/');
    await bucket.delete([pack!]);
    const check = await workplace.json<{ findings: unknown }>(['check'], 1);
    expect(check.findings).toContainEqual({ file: pack, problem: 'hidden' });

    await bucket.delete([...all, reserve]);
    expect(await names()).toEqual([]);
    const refusal = await workplace.json<{ error: { code: string; details: unknown } }>(['points', 'documents'], 1);
    expect(refusal.error).toMatchObject({ code: 'destination_missing', details: { problem: 'hidden' } });
    const repair = await workplace.json<{ files: { file: string; outcome: string }[] }>(['repair']);
    expect(repair.files).toContainEqual({ file: pack, outcome: 'shown' });
    expect(await names()).toEqual(expect.arrayContaining(all));
    await workplace.json(['check', '--read-data']);
    await expectRestored();
  });

  test('come back by a repair when somebody replaced every file', async () => {
    await setUpAndBackUp();
    const [pack] = await names('packs/');
    const [segment] = await names('ledger/');
    for (const name of [pack!, segment!]) await bucket.put(name, Buffer.from('junk'));
    await workplace.json(['repair']);
    await workplace.json(['check', '--read-data']);
    await expectRestored();
  });

  test('are found by a new computer with the phrase although they were deleted', async () => {
    const { phrase, device } = await setUpAndBackUp();
    await bucket.delete(await names());
    rmSync(workplace.home, { recursive: true });
    await workplace.json(['setup', ...where, '--recovery-phrase-file', workplace.write('phrase', phrase)]);
    await expectRestored(['--device', device]);
  });

  test('are not begun in a bucket without object lock', async () => {
    const other = await newBucket();
    const words = ['setup', '--destination', `s3://${other.bucket}`, '--endpoint', other.endpoint!];
    const refusal = await workplace.json<{ error: { details: unknown } }>([...words, '--object-lock', '7'], 2);
    expect(refusal.error.details).toMatchObject({ problem: 'bucket-without-locks' });
    const objects = new Bucket(other);
    expect(await objects.list('')).toEqual([]);
    objects.close();
  });
});
