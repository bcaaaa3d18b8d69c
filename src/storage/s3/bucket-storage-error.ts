import { HoldfastError } from '../../base/errors/errors.ts';
import { LockedError } from './locked-error.ts';
import { BucketError } from '../bucket/bucket-error.ts';

/** Converts the failure of a bucket. @param right what the keys do not permit, if that is the failure */
export function asStorageError(error: unknown, address: string, right?: 'bucket-delete'): unknown {
  if (error instanceof LockedError) {
    const details = { bucket: address, problem: 'bucket-delete', lockedUntil: error.until } as const;
    return new HoldfastError('permission_denied', details, { cause: error });
  }
  if (!(error instanceof BucketError)) return error;
  const options = { cause: error };
  // A bucket rejects requests signed with a clock that is 15 minutes off.
  if (error.detail === 'RequestTimeTooSkewed') return new HoldfastError('clock_wrong', { address }, options);
  switch (error.problem) {
    case 'missing':
      return new HoldfastError('destination_missing', { directory: address, problem: 'bucket' }, options);
    case 'denied': {
      const detail = error.message;
      return new HoldfastError(
        'permission_denied',
        { bucket: address, detail, ...(right && { problem: right }) },
        options,
      );
    }
    case 'full':
      return new HoldfastError('destination_full', { directory: address }, options);
    case 'unconditional':
      return new HoldfastError('usage', { problem: 'bucket-unconditional', bucket: address }, options);
    case 'unreachable':
      return new HoldfastError(
        'service_unreachable',
        { address, reason: error.detail },
        { ...options, retryable: true },
      );
    case 'broken':
      return new HoldfastError('service_broken', { address, detail: error.detail }, options);
  }
}
