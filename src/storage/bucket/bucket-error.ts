/**
 * Why a bucket cannot be used: it does not exist; the keys lack rights; it does not respond; it ignores `If-None-Match`; it is full;
 * or something else is wrong.
 */
export type BucketProblem = 'missing' | 'denied' | 'unreachable' | 'unconditional' | 'full' | 'broken';

/** A failure of a bucket, whose message contains no URL and no object key. */
export class BucketError extends Error {
  override readonly name = 'BucketError';
  readonly problem: BucketProblem;
  /** The code of S3, the status, or a few words. */
  readonly detail: string;

  constructor(problem: BucketProblem, detail: string, cause?: unknown) {
    super(`${problem}: ${detail}`, { cause });
    this.problem = problem;
    this.detail = detail;
  }
}

const PROBLEMS: ReadonlyMap<string, BucketProblem> = new Map([
  ['NoSuchBucket', 'missing'],
  ['InvalidBucketName', 'missing'],
  ['PermanentRedirect', 'missing'],
  ['AccessDenied', 'denied'],
  ['AllAccessDisabled', 'denied'],
  ['InvalidAccessKeyId', 'denied'],
  ['SignatureDoesNotMatch', 'denied'],
  ['ExpiredToken', 'denied'],
  ['InvalidToken', 'denied'],
  ['RequestTimeTooSkewed', 'denied'],
  ['AuthorizationHeaderMalformed', 'denied'],
  ['QuotaExceeded', 'full'],
  ['ServiceQuotaExceededException', 'full'],
  ['InsufficientStorage', 'full'],
  // Of a disk and of a bucket of MinIO.
  ['XMinioStorageFull', 'full'],
  ['XMinioAdminBucketQuotaExceeded', 'full'],
  ['EntityTooLarge', 'broken'],
]);

/** Converts the failure of a call to a `BucketError`. */
export function toBucketError(error: unknown): BucketError {
  if (error instanceof BucketError) return error;
  const status = statusOf(error);
  const name = error instanceof Error ? codeOf(error.name) : typeof error;
  const known = PROBLEMS.get(name);
  if (known) return new BucketError(known, name, error);
  if (status === 403) return new BucketError('denied', '403', error);
  if (status === 507) return new BucketError('full', '507', error);
  if (status === undefined || status >= 500 || status === 429) {
    const code = error instanceof Error && 'code' in error ? codeOf(String(error.code)) : name;
    return new BucketError('unreachable', status === undefined ? code : String(status), error);
  }
  return new BucketError('broken', `${status} ${name}`, error);
}

/** The code of S3 is the bucket's word, which may echo a token. */
function codeOf(text: string): string {
  return /^[A-Za-z]{1,30}(?:_[A-Z]{1,20}){0,4}$/.test(text) ? text : 'another error';
}

/** Returns the HTTP status of a failed call; `undefined` without a response. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata as { readonly httpStatusCode?: number } | undefined;
  return metadata?.httpStatusCode;
}

/** Returns how often the client sent a failed call. */
export function attemptsOf(error: unknown): number {
  if (!(error instanceof Error) || !('$metadata' in error)) return 1;
  return (error.$metadata as { readonly attempts?: number } | undefined)?.attempts ?? 1;
}

/** Something else than the store has answered, such as a proxy or the sign-in page of a network. */
export function strange(): BucketError {
  return new BucketError('broken', 'an answer of something else');
}
