import type { Failure } from '../../base/errors/failure.ts';
import type { SetState } from '../../ipc/state.ts';

/** Returns whether an SSH server presented another host key than before. */
export function isHostKeyFailure(failure: Failure | undefined): boolean {
  return failure?.code === 'service_unreachable' && failure.details.reason === 'host-key';
}

/** Returns the first set whose last backup failed because of that. */
export function stoppedByHostKey(sets: readonly SetState[]): SetState | undefined {
  return sets.find(({ lastBackup }) => isHostKeyFailure(lastBackup?.failure));
}
