import { HoldfastError, isHoldfastError, wrongUsage } from '../../base/errors.ts';
import { findRepository } from '../../repository/create-repository.ts';
import { BucketStorage } from '../../repository/storage/s3/bucket-storage.ts';
import { StorageTrialError, tryStorage } from '../../repository/storage/trial.ts';
import type { BucketConfig } from '../../s3/bucket-config.ts';

/** A person waits for the result of a trial. */
const TRIAL_ATTEMPTS = 2;

/**
 * Tries the operations of a backup in a bucket. Returns whether there is a repository already.
 *
 * @throws HoldfastError `permission_denied` (`bucket-write`, `bucket-read`, `bucket-delete`), `service_broken`
 *   (`bucket-altered`), `usage` (`bucket-unconditional`, `destination-foreign`), `destination_*`, `service_unreachable`
 */
export async function tryBucketStorage(config: BucketConfig): Promise<boolean> {
  await using storage = new BucketStorage(config, TRIAL_ATTEMPTS);
  const found = await findRepository(storage);
  try {
    const { refusesExisting, deletes } = await tryStorage(storage);
    if (!refusesExisting) throw wrongUsage({ problem: 'bucket-unconditional', bucket: storage.address });
    // Backups would work, but their space could never be freed.
    if (!deletes) throw missingRight('bucket-delete', storage.address);
  } catch (error) {
    throw explained(error, storage.address);
  }
  return found !== undefined;
}

function explained(error: unknown, bucket: string): unknown {
  if (!(error instanceof StorageTrialError)) return error;
  const { step, problem, cause } = error;
  if (problem !== undefined) {
    return new HoldfastError('service_broken', { address: bucket, problem: 'bucket-altered' }, { cause: error });
  }
  if (!isHoldfastError(cause, 'permission_denied')) return cause;
  return missingRight(step === 'write' || step === 'refuse' ? 'bucket-write' : 'bucket-read', bucket, cause);
}

function missingRight(
  problem: `bucket-${'write' | 'read' | 'delete'}`,
  bucket: string,
  cause?: unknown,
): HoldfastError {
  return new HoldfastError('permission_denied', { bucket, problem }, { cause });
}
