import { isHoldfastError, systemCodeOf } from '../../../base/errors/errors.ts';
import type { CompletedTree } from '../../../archive/backup/types.ts';
import { addCompletedTree } from '../../../history/fill/add-completed-tree.ts';
import { FileHistory } from '../../../history/file-history.ts';
import type { HistorySource } from '../../../history/points.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { Settings } from '../../home/settings.ts';

/** Returns the source that this computer's set is at a destination. */
export function sourceAt({ id, deviceId }: Settings, set: string): HistorySource {
  return { destination: id, device: deviceId, set };
}

/**
 * Adds the restore point of a run to the history, from what the run wrote. If that is not enough, or the history cannot be written now,
 * it is added later from the destination: the backup is complete.
 */
export function recordTree({ home, clock }: AgentParts, source: HistorySource, tree: CompletedTree): void {
  try {
    using history = new FileHistory(home.historyFile);
    addCompletedTree(history, source, tree, clock.now());
  } catch (error) {
    if (!isHoldfastError(error) && systemCodeOf(error) === undefined) throw error;
  }
}
