import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { isWithin, parentOf } from '../../../protocol/path.ts';
import { DIRECTORY, type CatalogEntries, type KnownEntry, type SetRun } from '../../catalog/entries/entries.ts';
import type { NewestTree } from '../types.ts';
import type { CheckedRoots } from './check-roots.ts';
import type { CatalogUpdate } from './update-catalog.ts';

/** Warnings about what is no file any more. */
const NO_FILE = 'special-file';

interface EarlierParts {
  readonly entries: CatalogEntries;
  readonly run: SetRun;
  readonly roots: Pick<CheckedRoots, 'present' | 'accepts' | 'places'>;
  readonly update: Pick<CatalogUpdate, 'warnings'>;
}

/**
 * Refuses a run whose catalog does not know the newest restore point, if that has files which the run could not see: where the catalog knows
 * them, they keep their last version, and here they would look deleted. A source that is empty, one whose disk is gone and that has nothing of what it had,
 * and what could not be read.
 *
 * @throws HoldfastError `source_empty`; `source_not_mounted` (`earlier-disk`); `source_unreadable` (`earlier-content`)
 */
export async function requireEarlierEntries(newest: NewestTree, parts: EarlierParts): Promise<void> {
  await requireSources(newest, parts);
  const missed: string[] = [];
  const warned = new Set(parts.update.warnings.flatMap(({ path, reason }) => (reason === NO_FILE ? [] : [path])));
  for (const path of [...warned].toSorted()) {
    if (parts.roots.accepts(path) || missed.some((folder) => isWithin(path, folder))) continue;
    if (await hasUnseen(newest, path, parts)) missed.push(path);
  }
  const [path] = missed;
  if (path !== undefined) {
    throw new HoldfastError('source_unreadable', { path, problem: 'earlier-content', count: missed.length });
  }
}

async function requireSources({ mounts = [], pathsAt }: NewestTree, parts: EarlierParts): Promise<void> {
  const { roots, entries } = parts;
  for (const { path, real } of roots.present) {
    const entry = entryAt(parts, path);
    if (roots.accepts(path) || entry?.kind !== DIRECTORY) continue;
    const moved = mounts.find(
      (mount) => isWithin(real, mount.path) && roots.places.of(mount.path)?.number !== mount.place,
    );
    const isEmpty = entry.child === null || entries.page(entry.child, '', 1).length === 0;
    if (!isEmpty && !moved) continue;
    let before = 0;
    let isThere = false;
    for await (const earlier of pathsAt(path)) {
      before += earlier === path ? 0 : 1;
      isThere ||= earlier !== path && parentOf(earlier) === path && entryAt(parts, earlier) !== undefined;
    }
    if (before === 0 || isThere) continue;
    if (isEmpty) throw new HoldfastError('source_empty', { path, before, directory: true });
    throw new HoldfastError('source_not_mounted', { path: moved!.path, problem: 'earlier-disk' });
  }
}

/** Returns whether the tree has something at a path or below that the catalog does not have; also if it cannot be read. */
async function hasUnseen({ pathsAt }: NewestTree, path: string, parts: EarlierParts): Promise<boolean> {
  try {
    for await (const earlier of pathsAt(path)) if (entryAt(parts, earlier) === undefined) return true;
    return false;
  } catch (error) {
    if (isHoldfastError(error, 'interrupted')) throw error;
    return true;
  }
}

/** Returns the catalog's entry of a path in one of the roots. */
function entryAt({ entries, run, roots }: EarlierParts, path: string): KnownEntry | undefined {
  const root = roots.present.find((one) => isWithin(path, one.path));
  if (!root) return undefined;
  let entry = entries.find(run.rootsDirectory, root.path);
  for (const name of path.slice(root.path.length).split('/').filter(Boolean)) {
    entry = entry && entry.child !== null ? entries.find(entry.child, name) : undefined;
  }
  return entry;
}
