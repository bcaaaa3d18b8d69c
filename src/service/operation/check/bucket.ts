import { randomBytes } from 'node:crypto';
import { Bucket } from '../../../storage/bucket/bucket.ts';
import { bucketAddress } from '../../../storage/bucket/bucket-config.ts';
import type { BucketConfig } from '../../../storage/bucket/bucket-config.ts';
import { BucketError } from '../../../storage/bucket/bucket-error.ts';
import type { BucketProblem } from '../../../storage/bucket/bucket-error.ts';
import { failed, inTime, ok, reasonOf, warning } from './finding.ts';
import type { Finding } from './finding.ts';

/** Time limit, since the S3 client's own retries take minutes while a person waits. */
const PATIENCE = 20_000;

const PROBLEMS: Readonly<Record<BucketProblem, string>> = {
  missing: 'is not there',
  denied: 'refuses these keys',
  unreachable: 'cannot be reached',
  unconditional: 'does not know If-None-Match, so an address to upload could replace a blob',
  full: 'has no room',
  broken: 'does not work as expected',
};

export interface BucketCheck {
  readonly findings: readonly Finding[];
  /** Lead of the store's clock over ours, in milliseconds. */
  readonly skew?: number;
}

/** Writes, reads and deletes small objects, and tests all protections against replacing blobs. */
export async function checkBucket(config: BucketConfig): Promise<BucketCheck> {
  const where = bucketAddress(config);
  const bucket = new Bucket(config);
  const skew = await skewOf(config);
  try {
    const findings = [await inTime(tryBucket(bucket, where), PATIENCE)];
    if (config.endpoint?.startsWith('http:') === true) {
      findings.push(warning('objects', `${config.endpoint} is without TLS; blobs are encrypted, addresses are not.`));
    }
    return { findings, ...skew };
  } catch (error) {
    const problem = error instanceof BucketError ? PROBLEMS[error.problem] : PROBLEMS.unreachable;
    const reason = error instanceof BucketError ? error.message.replace(/^\w+: /, '') : reasonOf(error);
    return { findings: [failed('objects', `${where} ${problem} (${reason}).`)], ...skew };
  } finally {
    bucket.close();
  }
}

async function tryBucket(bucket: Bucket, where: string): Promise<Finding> {
  const name = `checks/${randomBytes(16).toString('hex')}`;
  const bytes = randomBytes(64);
  const names = [name, `${name}-presigned`];
  try {
    if (!(await bucket.putNew(name, bytes)))
      return failed('objects', `${where} says that a new object is there already.`);
    if (await bucket.putNew(name, randomBytes(64))) throw new BucketError('unconditional', 'a second PUT was taken');
    const read = await bucket.get(name);
    if (!read || !bytes.equals(read)) return failed('objects', `${where} gives back something else than was put.`);
    return await tryPresigned(bucket, `${name}-presigned`, where);
  } finally {
    await bucket.delete(names).catch(() => undefined);
  }
}

/** Uploads as devices do: without keys, with a presigned URL. */
async function tryPresigned(bucket: Bucket, name: string, where: string): Promise<Finding> {
  const url = await bucket.presignPut(name, 64, Date.now(), 60);
  const put = async (length: number): Promise<number> => {
    const answer = await fetch(url, { method: 'PUT', body: randomBytes(length), headers: { 'if-none-match': '*' } });
    await answer.body?.cancel();
    return answer.status;
  };
  const otherLength = await put(65);
  if (otherLength < 400) return failed('objects', `${where} takes another length than an address was signed for.`);
  const first = await put(64);
  if (first !== 200) return failed('objects', `${where} refuses a presigned PUT (${first}).`);
  const second = await put(64);
  if (second !== 412) throw new BucketError('unconditional', `a second presigned PUT was answered with ${second}`);
  return ok('objects', `${where} can be written, read and deleted in, and refuses to replace an object.`);
}

async function skewOf({ endpoint, region }: BucketConfig): Promise<{ readonly skew?: number }> {
  try {
    const before = Date.now();
    const address = endpoint ?? `https://s3.${region}.amazonaws.com`;
    const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
    const date = Date.parse(answer.headers.get('date') ?? '');
    // A Date header has whole seconds, so on average it is half a second behind.
    return Number.isNaN(date) ? {} : { skew: date + 500 - (before + Date.now()) / 2 };
  } catch {
    return {};
  }
}
