import { HoldfastError, systemCodeOf } from '../../../base/errors.ts';
import { syncFileSystemSync } from '../../filesystem/durability.ts';
import type { TaskAnswer } from '../../../base/thread-pool.ts';
import { FULL_CODES } from './target.ts';

export interface SyncTargetInput {
  /** Of the target folder. */
  readonly path: string;
}

/** The system's word for what went wrong, or nothing. */
export function syncTarget({ path }: SyncTargetInput): TaskAnswer<string | undefined> {
  try {
    syncFileSystemSync(path);
    return { value: undefined };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return { value: code };
  }
}

/** What it means for a restore. */
export function syncFailure(target: string, reason: string): HoldfastError {
  if (FULL_CODES.has(reason)) return new HoldfastError('target_full', { target });
  return new HoldfastError('target_unwritable', { target, reason });
}
