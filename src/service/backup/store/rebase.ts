import type { SqlTransaction } from '../../database/sql-database.ts';
import type { RebaseChanges, RebasedPath, RebasedSession, SessionTrees } from './session-trees.ts';
import { sameVersion, type FileVersion, type StoredVersion } from './tree-store.ts';

/** Paths that are processed together. */
const PAGE = 2_000;

/**
 * Makes a session's changes relative to the newest tree. They were relative to the tree that was the newest when the session
 * began; if another session of the set has been completed since, the result must still equal the manifest. Called inside the
 * transaction that completes the session.
 *
 * It reads all versions of the set once to find what the other session did; two sessions of one set at once are rare.
 */
export async function rebase(trees: SessionTrees, transaction: SqlTransaction, session: RebasedSession): Promise<void> {
  const changed = await trees.changedPaths(transaction, session);
  for (let from = 0; from < changed.length; from += PAGE) {
    const keys = changed.slice(from, from + PAGE);
    const paths = await trees.readPaths(transaction, session, keys);
    await trees.applyRebase(transaction, session, changesOf(keys, paths));
  }
}

function changesOf(keys: readonly string[], paths: readonly RebasedPath[]): RebaseChanges {
  const dropped: string[] = [];
  const ends: StoredVersion[] = [];
  const versions: FileVersion[] = [];
  for (const { key, own, ended, inBase, inHead } of paths) {
    const wanted = own ?? (ended ? undefined : inBase);
    if (wanted && inHead && sameVersion(wanted, inHead)) {
      if (own) dropped.push(key);
      continue;
    }
    if (inHead) ends.push(inHead);
    if (wanted && !own) versions.push(wanted);
  }
  return { keys, dropped, ends, versions };
}
