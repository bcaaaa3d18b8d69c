import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CountingProxy } from '../../../bench/network/counting-proxy.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file, directory } from '../../helpers/tree/nodes.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { Bucket } from '../../../src/storage/bucket/bucket.ts';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import { isPlainMessage, Workplace, type BackupAnswer } from './workplace.ts';

interface SetupAnswer {
  readonly recovery_phrase: string;
  readonly device_id: string;
  readonly adopted: boolean;
}

describe.skipIf(!HAS_S3)('backups in a bucket (scripts/install-test-tools.sh)', () => {
  let workplace: Workplace;
  let config: BucketConfig;
  let where: readonly string[];
  let first: SetupAnswer;
  let source: string;

  /** Runs a command with `--json` on another home. */
  async function elsewhere<Answer = Record<string, unknown>>(words: readonly string[], status = 0, home = 'home 2') {
    const ended = await workplace.runAt(workplace.path(home), [...words, '--json']);
    if (ended.status !== status) throw new Error(`${words.join(' ')}: ${ended.status} ${ended.stdout} ${ended.stderr}`);
    return JSON.parse(ended.stdout) as Answer;
  }

  beforeEach(async () => {
    workplace = new Workplace();
    config = await newBucket();
    workplace.environment['AWS_ACCESS_KEY_ID'] = config.credentials.accessKeyId;
    workplace.environment['AWS_SECRET_ACCESS_KEY'] = config.credentials.secretAccessKey;
    where = ['--destination', `s3://${config.bucket}/laptop`, '--endpoint', config.endpoint!];
    first = await workplace.json<SetupAnswer>(['setup', ...where]);
    // The keys are stored with the home's secrets now.
    delete workplace.environment['AWS_ACCESS_KEY_ID'];
    delete workplace.environment['AWS_SECRET_ACCESS_KEY'];
    source = workplace.path('source');
    await buildTree(source, {
      'a.txt': file('content'),
      'large.bin': file({ seed: 5, size: 5_000_000 }),
      many: directory(
        Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.txt`, file(`number ${index}`)])),
      ),
    });
    await workplace.addSet('documents', source);
  });
  afterEach(() => workplace[Symbol.dispose]());

  function withKeys(): void {
    workplace.environment['AWS_ACCESS_KEY_ID'] = config.credentials.accessKeyId;
    workplace.environment['AWS_SECRET_ACCESS_KEY'] = config.credentials.secretAccessKey;
  }

  test('are restored with only the bucket and the phrase', async () => {
    await workplace.json(['backup', 'documents']);
    writeFileSync(`${source}/a.txt`, 'changed');
    const second = await workplace.json<BackupAnswer>(['backup', 'documents']);
    expect(second.chunks_new).toBeLessThan(6);
    rmSync(workplace.home, { recursive: true });

    withKeys();
    const phrase = workplace.write('phrase', first.recovery_phrase);
    const adopted = await elsewhere<SetupAnswer>(['setup', ...where, '--recovery-phrase-file', phrase]);
    expect(adopted).toMatchObject({ adopted: true, backup_sets: [{ device_id: first.device_id, name: 'documents' }] });
    const device = ['--device', first.device_id];
    await elsewhere(['restore', 'documents', ...device, '--to', workplace.path('target')]);
    expect(await compareTrees(source, workplace.path('target/source'))).toEqual([]);
    const { points } = await elsewhere<{ points: unknown[] }>(['points', 'documents', ...device]);
    expect(points).toHaveLength(2);
  });

  test('are restored with a request for each pack and a dozen more', async () => {
    for (let index = 0; index < 2_000; index += 1) {
      mkdirSync(`${source}/folder ${index}`);
      writeFileSync(`${source}/folder ${index}/file`, randomBytes(3_000));
    }
    await workplace.json(['backup', 'documents']);
    await using proxy = await CountingProxy.listen(config.endpoint!);
    withKeys();
    const phrase = workplace.write('phrase', first.recovery_phrase);
    const through = ['--destination', `s3://${config.bucket}/laptop`, '--endpoint', proxy.address];
    await elsewhere(['setup', ...through, '--recovery-phrase-file', phrase]);
    proxy.take();
    await elsewhere(['restore', 'documents', '--device', first.device_id, '--to', workplace.path('target')]);
    const { total } = proxy.take();
    expect(await compareTrees(source, workplace.path('target/source'))).toEqual([]);
    const bucket = new Bucket({ ...config, prefix: 'laptop/' });
    const packs = await bucket.list('packs/');
    bucket.close();
    expect(total).toBeLessThanOrEqual(packs.length + 12);
  });

  test('hide file names from the operator of the bucket', async () => {
    await workplace.json(['backup', 'documents']);
    const bucket = new Bucket({ ...config, prefix: '' });
    const objects = await bucket.list('');
    expect(objects.length).toBeGreaterThanOrEqual(4);
    for (const { name } of objects) {
      const bytes = await bucket.get(name);
      expect(name).toMatch(/^laptop\/(holdfast(-copy)?\.json|reserve\/space|(keys|ledger|packs)\/[0-9a-f/-]+)$/);
      expect(bytes!.includes('large.bin')).toBe(false);
      expect(bytes!.includes('SQLite format')).toBe(false);
    }
    bucket.close();
  });

  test('open only with their own key', async () => {
    await workplace.json(['backup', 'documents']);
    withKeys();
    const needed = await elsewhere<{ error: { code: string } }>(['setup', ...where], 4);
    expect(needed.error.code).toBe('phrase_needed');
    const other = await workplace.start(
      ['setup', '--destination', workplace.path('elsewhere'), '--json'],
      workplace.path('home 3'),
    ).ended;
    const phrase = workplace.write('phrase', (JSON.parse(other.stdout) as SetupAnswer).recovery_phrase);
    const wrong = await elsewhere<{ error: { code: string } }>(
      ['setup', ...where, '--recovery-phrase-file', phrase],
      4,
    );
    expect(wrong.error.code).toBe('phrase_other_account');
  });

  test("continue from two computers in turn, each with the other's changes", async () => {
    await workplace.json(['backup', 'documents']);
    withKeys();
    const phrase = workplace.write('phrase', first.recovery_phrase);
    const second = await elsewhere<SetupAnswer>(['setup', ...where, '--recovery-phrase-file', phrase]);
    await elsewhere(['set', 'add', 'photos', source, '--exclude', '!*']);
    const there = await elsewhere<BackupAnswer>(['backup', 'photos']);
    expect(there.chunks_deduped).toBeGreaterThan(0);
    writeFileSync(`${source}/a.txt`, 'changed');
    await workplace.json(['backup', 'documents']);
    const words = ['points', 'photos', '--device', second.device_id];
    expect((await workplace.json<{ points: unknown[] }>(words)).points).toHaveLength(1);
    const mine = await elsewhere<{ points: unknown[] }>(['points', 'documents', '--device', first.device_id]);
    expect(mine.points).toHaveLength(2);
    expect((await workplace.json<{ failures: unknown[] }>(['verify', 'documents'])).failures).toEqual([]);
  });

  test.each([
    ['no keys', () => undefined, {}, 2, 'usage'],
    ['a wrong key', withKeys, { AWS_SECRET_ACCESS_KEY: 'wrong' }, 4, 'permission_denied'],
  ])('are refused with %s, and nothing is saved', async (_name, before, environment, status, code) => {
    before();
    Object.assign(workplace.environment, environment);
    const refused = await elsewhere<{ error: { code: string; message: string } }>(['setup', ...where], status);
    expect(refused.error.code).toBe(code);
    expect(isPlainMessage(refused.error.message)).toBe(true);
  });

  test('are refused in a missing bucket', async () => {
    withKeys();
    const words = ['setup', '--destination', `s3://${config.bucket}-not`, '--endpoint', config.endpoint!];
    expect(await elsewhere(words, 1)).toMatchObject({ error: { code: 'destination_missing' } });
  });

  test('with parity are mended where packs are damaged, and lack nothing without their parity', async () => {
    withKeys();
    const there = ['--destination', `s3://${config.bucket}/parity`, '--endpoint', config.endpoint!, '--parity', '20'];
    expect(await elsewhere(['setup', ...there])).toMatchObject({ parity: 20 });
    await elsewhere(['set', 'add', 'documents', source, '--exclude', '!*']);
    await elsewhere(['backup', 'documents']);
    const bucket = new Bucket({ ...config, prefix: 'parity/' });
    const namesIn = async (folder: string) => (await bucket.list(folder)).map(({ name }) => name);
    const packs = await namesIn('packs/');
    expect(packs.length).toBeGreaterThan(0);
    const originals = new Map<string, Uint8Array>();
    for (const name of packs) {
      const bytes = (await bucket.get(name))!;
      originals.set(name, bytes);
      await bucket.put(name, Uint8Array.from(bytes).fill(0, 50, Math.floor(bytes.length / 10)));
    }
    await elsewhere(['restore', 'documents', '--to', workplace.path('target')]);
    expect(await compareTrees(source, workplace.path('target/source'))).toEqual([]);
    const found = await elsewhere<{ findings: object[] }>(['check', '--read-data'], 1);
    expect(found).toMatchObject({ losses_total: 0, parity: { files: packs.length } });
    expect(found.findings).toEqual(packs.map((file) => ({ file, problem: 'hash', mendable: true })));
    await elsewhere(['repair']);
    for (const [name, bytes] of originals) expect(Buffer.compare((await bucket.get(name))!, bytes)).toBe(0);
    expect(await elsewhere(['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
    await bucket.delete(await namesIn('parity/'));
    await elsewhere(['restore', 'documents', '--to', workplace.path('target 2')]);
    expect(await compareTrees(source, workplace.path('target 2/source'))).toEqual([]);
    bucket.close();
  });

  test('show their destination in status', async () => {
    expect(await workplace.json(['status'])).toMatchObject({
      destination: { kind: 'bucket', address: `s3://${config.bucket}/laptop`, endpoint: config.endpoint },
    });
  });
});
