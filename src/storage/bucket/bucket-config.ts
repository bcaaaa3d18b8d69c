/** A part of a bucket, and the access to it. */
export interface BucketConfig {
  readonly bucket: string;
  /** Prefix of all keys: empty, or ending with a slash. */
  readonly prefix: string;
  /** URL of an S3 service other than Amazon's, without a path. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly credentials: BucketCredentials;
}

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The region that services other than Amazon's accept by default. */
export const DEFAULT_REGION = 'us-east-1';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** The prefix is part of URLs and names: plain characters, and no segment that a path would normalize away. */
const PREFIX_SEGMENT = /^(?!\.{1,2}$)[\w.!'()*-]+$/;
const LONGEST_PREFIX = 500;

/** Parses `s3://BUCKET[/PREFIX]`; returns `undefined` for any other text. */
export function parseBucketAddress(address: string): Pick<BucketConfig, 'bucket' | 'prefix'> | undefined {
  const [, bucket, path = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return { bucket, prefix: '' };
  const segments = trimmed.split('/');
  if (trimmed.length > LONGEST_PREFIX || !segments.every((segment) => PREFIX_SEGMENT.test(segment))) return undefined;
  return { bucket, prefix: `${trimmed}/` };
}

/** Formats a bucket's address as `parseBucketAddress` reads it. */
export function bucketAddress({ bucket, prefix }: Pick<BucketConfig, 'bucket' | 'prefix'>): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix.slice(0, -1)}`}`;
}

/** Reads the variables that all S3 programs use; returns `undefined` if they are not set. */
export function credentialsFrom(
  environment: Readonly<Record<string, string | undefined>>,
): BucketCredentials | undefined {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
