import { TREE_PATH } from '../../../protocol/path.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { VerifiedFooter } from '../../tree/record.ts';
import type { RestoreSource } from '../types.ts';

/**
 * Compares a tree with the newest that this computer has seen, and remembers it where it is newer, unless this is a look only. Every tree counts one
 * more than the one before it: an older one as the latest, or another one of the same number, is not what was backed up
 * last.
 */
export function checkSequence(
  source: RestoreSource,
  footer: VerifiedFooter,
  catalog: Catalog,
  isLook: boolean,
): readonly RunWarning[] {
  const { deviceId, backupSet, at } = source;
  const seen = catalog.history.seenTree(deviceId, backupSet);
  const { sequence, treeHash } = footer;
  if (!isLook) catalog.history.recordSeenTree(deviceId, backupSet, { sequence, treeHash });
  if (!seen) return [];
  const older = at === 'latest' && sequence < seen.sequence;
  const forked = sequence === seen.sequence && treeHash !== seen.treeHash;
  const cut = sequence === seen.sequence + 1 && footer.previousTree !== seen.treeHash;
  return older || forked || cut ? [{ path: TREE_PATH, reason: 'service_answer_suspicious' }] : [];
}
