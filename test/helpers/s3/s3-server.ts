import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import type { S3Address } from './rados-gateway.ts';

/** True if this machine has the object store that scripts/install-test-tools.sh installs. */
export const HAS_S3 = ['radosgw', 'ceph-mon', 'ceph-osd'].every(
  (program) => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0,
);

/** A store that has not started by then never will. */
const PATIENCE = 120_000;

/** The folder of the store of this run of vitest. */
const folder = join(tmpdir(), `holdfast-s3-${process.ppid}`);

/** The store of this run of vitest: started by the first test file that needs it, ended after vitest. */
export async function s3Server(): Promise<S3Address> {
  if (isFirst()) {
    const supervisor = join(import.meta.dirname, 'supervise.ts');
    const words = [supervisor, folder, String(process.ppid)];
    spawn(process.execPath, words, { detached: true, stdio: 'ignore', cwd: '/' }).unref();
  }
  const until = Date.now() + PATIENCE;
  while (Date.now() < until) {
    if (existsSync(join(folder, 'ready.json'))) {
      return JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')) as S3Address;
    }
    if (existsSync(join(folder, 'failed'))) throw new Error(readFileSync(join(folder, 'failed'), 'utf8'));
    await sleep(50);
  }
  throw new Error('the object store did not start');
}

/** Creates an empty bucket. @param prefix ends with a slash */
export async function newBucket(prefix = '', { hasLocks = false } = {}): Promise<BucketConfig> {
  const { endpoint, region, accessKeyId, secretAccessKey } = await s3Server();
  const credentials = { accessKeyId, secretAccessKey };
  const bucket = `holdfast-${randomBytes(8).toString('hex')}`;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: hasLocks }));
  client.destroy();
  return { bucket, prefix, endpoint, region, credentials };
}

/** Sets a quota: what would make a bucket larger is refused. */
export function limitBucket({ bucket }: BucketConfig, bytes: number): void {
  const env = { PATH: process.env['PATH'], CEPH_CONF: join(folder, 'store', 'ceph.conf') };
  for (const words of [['set', `--max-size=${bytes}`], ['enable']]) {
    const quota = ['quota', ...words, '--quota-scope=bucket', `--bucket=${bucket}`];
    execFileSync('radosgw-admin', ['-n', 'client.rgw', ...quota], { env, stdio: 'ignore' });
  }
}

/** Only one of all callers creates the folder. */
function isFirst(): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
