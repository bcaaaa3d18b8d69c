/** Which part of which bucket, and how to get in there. */
export interface BucketConfig {
  readonly bucket: string;
  /** In front of all keys: empty, or with a slash at its end. */
  readonly prefix: string;
  /** Of a store that is not Amazon's, without a path. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly credentials: BucketCredentials;
}

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** What stores other than Amazon's take for a region where nobody chose one. */
export const DEFAULT_REGION = 'us-east-1';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** The prefix is part of addresses and of names: plain characters, no segment that a path would swallow. */
const PREFIX_SEGMENT = /^(?!\.{1,2}$)[\w.!'()*-]+$/;
const LONGEST_PREFIX = 500;

/** Bucket and prefix of `s3://BUCKET[/PREFIX]`; nothing where the text is none. */
export function parseBucketAddress(address: string): Pick<BucketConfig, 'bucket' | 'prefix'> | undefined {
  const [, bucket, path = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return { bucket, prefix: '' };
  const segments = trimmed.split('/');
  if (trimmed.length > LONGEST_PREFIX || !segments.every((segment) => PREFIX_SEGMENT.test(segment))) return undefined;
  return { bucket, prefix: `${trimmed}/` };
}

/** As people write it. */
export function bucketAddress({ bucket, prefix }: Pick<BucketConfig, 'bucket' | 'prefix'>): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix.slice(0, -1)}`}`;
}

/** The variables that every S3 program knows; nothing where they are not there. */
export function credentialsFrom(
  environment: Readonly<Record<string, string | undefined>>,
): BucketCredentials | undefined {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
