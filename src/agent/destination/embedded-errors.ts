import { HoldfastError, isHoldfastError, systemCodeOf } from '../../base/errors.ts';
import { BucketError } from '../../s3/bucket-error.ts';
import { TrialAlteredError, TrialDeniedError } from '../../s3/bucket-trial.ts';
import { hasStoreMarker } from '../../service/store/store-directory.ts';
import { ServiceProblem } from '../../service/request/problem.ts';
import { StoreError, type StoreErrorCode } from '../../service/store/store-error.ts';

type Describe = (directory: string) => HoldfastError;

const STORE_ERRORS: Readonly<Record<StoreErrorCode, Describe>> = {
  store_missing: (directory) => new HoldfastError('destination_missing', { directory }),
  store_unrecognised: (directory) => new HoldfastError('usage', { problem: 'destination-foreign', directory }),
  store_newer: (directory) => new HoldfastError('usage', { problem: 'destination-newer', directory }),
  store_damaged: (directory) => new HoldfastError('destination_missing', { directory, problem: 'damaged' }),
  store_unwritable: (directory) => new HoldfastError('destination_unwritable', { directory }),
  insufficient_storage: (directory) => new HoldfastError('destination_full', { directory }),
};

/**
 * Translates a failure of the embedded service. Its HTTP responses have become the errors of any service already; here
 * they get the folder's name, and a busy service becomes a failing disk.
 */
export function asDestinationError(error: unknown, directory: string): unknown {
  if (isOfDisk(error) && !isBucket(directory) && !hasStoreMarker(directory)) {
    return new HoldfastError('destination_missing', { directory }, { cause: error });
  }
  if (isAboutTime(error)) return new HoldfastError('clock_wrong', { address: directory }, { cause: error });
  if (error instanceof BucketError) return ofBucket(error, directory);
  if (error instanceof TrialDeniedError) {
    const details = { bucket: directory, problem: `bucket-${error.step}` } as const;
    return new HoldfastError('permission_denied', details, { cause: error });
  }
  if (error instanceof TrialAlteredError) {
    return new HoldfastError('service_broken', { address: directory, problem: 'bucket-altered' }, { cause: error });
  }
  if (error instanceof StoreError) return STORE_ERRORS[error.code](directory);
  if (error instanceof ServiceProblem) return ofProblem(error.code, error, directory);
  if (isHoldfastError(error, 'destination_full')) return ofProblem('insufficient_storage', error, directory);
  if (isHoldfastError(error, 'service_busy') && error.details['reason'] === 'unavailable') {
    return ofProblem('unavailable', error, directory);
  }
  return error;
}

/** A bucket rejects requests signed with a clock that is 15 minutes off. */
function isAboutTime(error: unknown): boolean {
  const refused = error instanceof TrialDeniedError ? error.cause : error;
  return refused instanceof BucketError && refused.detail === 'RequestTimeTooSkewed';
}

/** Detects the errors of an unplugged disk, which rarely state that it is missing. */
function isOfDisk(error: unknown): boolean {
  if (error instanceof ServiceProblem) return error.code === 'internal' || error.code === 'unavailable';
  return isHoldfastError(error, 'service_error') || isHoldfastError(error, 'service_busy');
}

/** System errors of a disk that is present but broken. */
const BROKEN = new Set(['EIO', 'ENODEV', 'ENXIO', 'ESTALE']);

function brokenDisk(cause: Error): string | undefined {
  const code = systemCodeOf(cause) ?? '';
  return BROKEN.has(code) || code.startsWith('SQLITE_IOERR') ? code : undefined;
}

function ofProblem(code: string, cause: Error, directory: string): unknown {
  if (code === 'insufficient_storage') return new HoldfastError('destination_full', { directory }, { cause });
  if (code === 'quota_exceeded') return new HoldfastError('quota_exceeded', { detail: detailOf(cause) }, { cause });
  if (code === 'unavailable' && isBucket(directory)) {
    return new HoldfastError('service_unreachable', { address: directory }, { cause, retryable: true });
  }
  if (code === 'unavailable') return new HoldfastError('destination_unwritable', { directory }, { cause });
  const problem = cause.cause instanceof Error ? brokenDisk(cause.cause) : undefined;
  return problem === undefined ? cause : new HoldfastError('destination_unwritable', { directory, problem }, { cause });
}

function ofBucket(error: BucketError, address: string): HoldfastError {
  const cause = { cause: error };
  switch (error.problem) {
    case 'missing':
      return new HoldfastError('destination_missing', { directory: address, problem: 'bucket' }, cause);
    case 'denied':
      return new HoldfastError('permission_denied', { bucket: address, detail: error.message }, cause);
    case 'full':
      return new HoldfastError('destination_full', { directory: address }, cause);
    case 'unconditional':
      return new HoldfastError('usage', { problem: 'bucket-unconditional', bucket: address }, cause);
    case 'unreachable':
    case 'broken':
      return new HoldfastError(
        'service_unreachable',
        { address, reason: error.message },
        { ...cause, retryable: true },
      );
  }
}

function detailOf(cause: Error): string | undefined {
  return cause instanceof ServiceProblem ? cause.facts.detail : undefined;
}

function isBucket(place: string): boolean {
  return place.startsWith('s3://');
}

/** Translates errors for which a remote service would answer 404 or 409. */
export function asRetentionError(error: unknown): unknown {
  if (!(error instanceof ServiceProblem)) return error;
  const { detail } = error.facts;
  if (error.code === 'conflict') return new HoldfastError('retention_refused', { reason: detail });
  return error.code === 'not_found' ? new HoldfastError('service_error', { status: error.status, detail }) : error;
}
