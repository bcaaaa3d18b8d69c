import { HoldfastError, isHoldfastError, wrongUsage, type ErrorCode } from '../../../base/errors/errors.ts';
import { isUnencrypted } from '../../../base/unencrypted.ts';
import { STORE_CAUTIONS, type StoreCaution } from '../../../model/destination.ts';
import type { Storage } from '../../../storage/storage.ts';
import { StorageTrialError, tryStorage } from '../../../storage/try-storage.ts';
import type { StorageDestination } from './open-destination-storage.ts';

/** Failures that have sentences of their own in every step. */
const EXPLAINED: ReadonlySet<ErrorCode> = new Set(['service_unreachable', 'clock_wrong', 'destination_full', 'usage']);

/**
 * Tries the operations of a backup in a store. Returns what it does not promise.
 *
 * @param holdsBackups whether it has backups: they can be restored where nothing may be written
 * @throws HoldfastError `destination_unfit` with the step that failed, `permission_denied` (`bucket-write`, `bucket-read`),
 *   `service_unreachable`, `destination_full`, `usage` (`bucket-unconditional`); the signal's reason
 */
export async function tryStore(
  destination: StorageDestination,
  storage: Storage,
  { holdsBackups, signal }: { readonly holdsBackups: boolean; readonly signal?: AbortSignal | undefined },
): Promise<readonly StoreCaution[]> {
  const isOpen = destination.kind === 'webdav' && isUnencrypted(destination.url);
  try {
    // Whether deletions need the versions of a file.
    await storage.locks?.isSupported(signal);
    const { refusesExisting, deletes } = await tryStorage(storage, signal);
    if (!refusesExisting && destination.kind === 'bucket') {
      throw wrongUsage({ problem: 'bucket-unconditional', bucket: storage.address });
    }
    const isServed = destination.kind === 'webdav' || destination.kind === 'rclone';
    const keepsDeleted = (await storage.kept?.areKept(signal)) ?? false;
    const found: Readonly<Record<StoreCaution, boolean>> = {
      overwrites: !refusesExisting,
      races: refusesExisting && isServed,
      grows: !deletes,
      versions: deletes && keepsDeleted,
      'power-cut': isServed || storage.syncs === false,
      unencrypted: isOpen,
      'read-only': false,
    };
    return STORE_CAUTIONS.filter((caution) => found[caution]);
  } catch (error) {
    if (holdsBackups && isRefusedWrite(error)) return isOpen ? ['unencrypted', 'read-only'] : ['read-only'];
    throw explained(error, destination.kind, storage.address);
  }
}

/** What stores answer that are protected, full, or whose credentials may only read. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['permission_denied', 'destination_full', 'destination_unwritable']);

function isRefusedWrite(error: unknown): boolean {
  if (!(error instanceof StorageTrialError) || error.step !== 'write') return false;
  const { cause } = error;
  return isHoldfastError(cause) && REFUSALS.has(cause.code) && detailOf(cause) !== 'authentication';
}

function explained(error: unknown, kind: StorageDestination['kind'], directory: string): unknown {
  if (!(error instanceof StorageTrialError)) return error;
  const { step, problem = step, cause } = error;
  if (cause !== undefined && !isHoldfastError(cause)) return cause;
  // Keys of a bucket often permit only a part of the steps.
  if (kind === 'bucket' && cause?.code === 'permission_denied') {
    const right = step === 'write' || step === 'refuse' ? 'bucket-write' : 'bucket-read';
    return new HoldfastError('permission_denied', { bucket: directory, problem: right }, { cause });
  }
  const detail = cause && detailOf(cause);
  if (cause && (EXPLAINED.has(cause.code) || detail === 'authentication')) return cause;
  const details = { directory, problem, ...(detail !== undefined && { detail }) };
  return new HoldfastError('destination_unfit', details, { cause: error });
}

/** Returns what a store answered. */
function detailOf({ details }: HoldfastError): string | undefined {
  const { problem, reason, status } = details as Readonly<Record<string, string | number | undefined>>;
  const answer = problem ?? reason ?? (status === undefined ? undefined : `status ${status}`);
  return answer?.toString();
}
