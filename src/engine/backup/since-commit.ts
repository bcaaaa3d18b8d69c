import type { CatalogEntries, SetRun } from '../catalog/entries.ts';
import type { CommittedTree } from '../catalog/committed-tree.ts';
import type { SeenTree } from '../catalog/history.ts';
import type { ReusableTree } from './tree-reuse.ts';

/**
 * After so many runs, or so much time, everything is made and sent anew: should catalog and service ever differ without
 * anybody noticing, that heals it.
 */
export const FULL_EVERY_RUNS = 50;
export const FULL_EVERY_MS = 7 * 24 * 60 * 60 * 1000;

/** Paths that one run tells singly; where there are more, the whole is not much more work. */
const MOST_DIRTY = 50_000;

/** What the newest restore point is, as this computer knows it, and what changed since. */
export interface SinceCommit extends ReusableTree {
  readonly committed: CommittedTree;
}

/** Nothing where everything has to be made anew. */
export function sinceCommit(
  entries: CatalogEntries,
  run: SetRun,
  now: {
    readonly deviceId: string;
    readonly privateNames: boolean;
    /** The newest tree that this computer saw. */
    readonly seen: SeenTree | undefined;
    /** Milliseconds since the epoch. */
    readonly time: number;
  },
): SinceCommit | undefined {
  const committed = entries.trees.find(run.setId);
  if (!committed || committed.device !== now.deviceId || committed.privateNames !== now.privateNames) return undefined;
  if (committed.treeHash !== now.seen?.treeHash) return undefined;
  const age = now.time - committed.fullAt;
  if (committed.runsSince + 1 >= FULL_EVERY_RUNS || age < 0 || age >= FULL_EVERY_MS) return undefined;
  const dirty = entries.dirty.list(run.setId, MOST_DIRTY);
  return dirty && { committed, pieces: entries.trees.pieces(run.setId), dirty };
}
