import type { CommittedTree, CommittedTrees } from '../../../catalog/committed-tree.ts';
import type { SetRun } from '../../../catalog/entries/entries.ts';
import type { SeenTree } from '../../../catalog/history.ts';
import type { ReusableTree } from './reusable-tree.ts';
import { DAY } from '../../../model/units.ts';

/**
 * After this many runs, or this much time, tree and manifest are made and sent in full. This heals an unnoticed
 * difference between the catalog and the service.
 */
export const FULL_EVERY_RUNS = 50;
export const FULL_EVERY_MS = 7 * DAY;

/** Changed paths that one run lists; with more of them a full manifest costs little more. */
const MOST_DIRTY = 50_000;

/** The newest restore point in this computer's catalog, and the changes since. */
export interface IncrementalBase extends ReusableTree {
  readonly committed: CommittedTree;
}

/** Returns `undefined` if tree and manifest have to be made in full. */
export function incrementalBase(
  { trees, run }: { readonly trees: CommittedTrees; readonly run: SetRun },
  now: {
    readonly deviceId: string;
    readonly privateNames: boolean;
    /** `Keys.id` */
    readonly keyId: string;
    /** The newest tree that this computer saw. */
    readonly seen: SeenTree | undefined;
    /** Milliseconds since the epoch. */
    readonly time: number;
  },
): IncrementalBase | undefined {
  const committed = trees.find(run.setId);
  if (!committed || committed.device !== now.deviceId || committed.privateNames !== now.privateNames) return undefined;
  // Private names are others under another key.
  if (committed.keyId !== now.keyId) return undefined;
  if (committed.treeHash !== now.seen?.treeHash) return undefined;
  const age = now.time - committed.fullAt;
  if (committed.runsSince + 1 >= FULL_EVERY_RUNS || age < 0 || age >= FULL_EVERY_MS) return undefined;
  const dirty = trees.dirty(run.setId, MOST_DIRTY);
  return dirty && { committed, pieces: trees.pieces(run.setId), dirty };
}
