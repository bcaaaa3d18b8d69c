import { HoldfastError } from '../../../base/errors/errors.ts';
import { isWithin, parentOf } from '../../../model/entry-path.ts';
import type { CatalogEntries, KnownRoot, SetRun } from '../../../catalog/entries/entries.ts';
import { DIRECTORY, FILE, SYMLINK } from '../../../catalog/entries/entry.ts';
import { isDataFailure, type NewestTree } from '../../../read/source/tree.ts';
import { isMissed } from '../../scan/remaining-files.ts';
import type { CheckedRoots } from './check-roots.ts';
import { entryAt } from './entry-at.ts';
import type { CatalogUpdate } from './update-catalog.ts';

const KINDS = { file: FILE, directory: DIRECTORY, symlink: SYMLINK } as const;

/** The reason of a warning about what is no file any more. */
const NO_FILE = 'special-file';
/** The reason of a note about a folder below which the run saw nothing. */
const UNSEEN = 'other-file-system';

interface EarlierParts {
  readonly entries: CatalogEntries;
  readonly run: SetRun;
  readonly roots: Pick<CheckedRoots, 'present' | 'accepts' | 'places' | 'remaining'>;
  readonly update: Pick<CatalogUpdate, 'warnings' | 'skipped' | 'unseen'>;
}

/** More warnings are compared in one pass over the tree, each of fewer by the pieces around it. */
const MOST_LOOKUPS = 16;

/**
 * Refuses a run whose catalog does not know the newest restore point, if that has files which the run could not see: where the catalog knows
 * them, they keep their last version, and here they would look deleted. A source, or a disk in it, that has no file any more, a source whose disk is gone and
 * that has nothing of what it had, and what could not be read.
 *
 * @throws HoldfastError `source_empty`; `source_not_mounted` (`earlier-disk`); `source_unreadable` (`earlier-content`); what reading the tree
 *   throws if that is no problem of its data
 */
export async function requireEarlierEntries(newest: NewestTree, parts: EarlierParts): Promise<void> {
  for (const root of parts.roots.present) {
    await requireFiles(root, newest, parts);
    await requireDisk(root, newest, parts);
  }
  const { accepts } = parts.roots;
  const { warnings, skipped, unseen } = parts.update;
  const named = [
    ...warnings.filter(({ reason }) => reason !== NO_FILE),
    ...skipped.filter(({ reason }) => reason === UNSEEN),
  ];
  const paths = [...named.map(({ path }) => path), ...unseen.bare].filter((path) => !accepts(path));
  const missed = await missedOf(new Set(paths), newest, parts);
  const [path] = [...missed].toSorted();
  if (path !== undefined) {
    throw new HoldfastError('source_unreadable', { path, problem: 'earlier-content', count: missed.size });
  }
}

/** Refuses a source, or a disk in it, that has lost its files. */
async function requireFiles(root: KnownRoot, newest: NewestTree, parts: EarlierParts): Promise<void> {
  const { accepts, places } = parts.roots;
  const mounts = newest.footer.mounts?.filter(
    ({ path, place }) => path !== root.path && isWithin(path, root.path) && places.of(path)?.number === place,
  );
  for (const path of [root.path, ...(mounts ?? []).map((mount) => mount.path)]) {
    if (accepts(path)) continue;
    const before = await filesMissedIn(path, root.path, newest, parts);
    if (before > 0) throw new HoldfastError('source_empty', { path, before, directory: true });
  }
}

/** Counts the files that the earlier tree has in a folder in which there are none any more. */
async function filesMissedIn(
  path: string,
  root: string,
  newest: NewestTree,
  { roots: { remaining } }: EarlierParts,
): Promise<number> {
  const around = remaining.scopeAround(root, path);
  const left = remaining.leftIn({ path, scope: around });
  if (left.most === 'files' || left.unreadable.has(path)) return 0;
  let before = 0;
  try {
    for await (const { path: earlier, type } of newest.recordsAt(path)) {
      if (isMissed(left, KINDS[type]) && remaining.isOwnIn({ path, scope: around }, earlier, left)) before += 1;
    }
  } catch (error) {
    if (!isDataFailure(error)) throw error;
    before += 1;
  }
  return before;
}

/** Refuses a source whose disk is gone, and that has nothing of what it had. */
async function requireDisk({ path, real }: KnownRoot, newest: NewestTree, parts: EarlierParts): Promise<void> {
  const { accepts, places } = parts.roots;
  if (accepts(path)) return;
  const gone = newest.footer.mounts?.find(
    (mount) => isWithin(real, mount.path) && places.of(mount.path)?.number !== mount.place,
  );
  if (!gone) return;
  let before = 0;
  try {
    for await (const { path: earlier } of newest.recordsAt(path)) {
      if (earlier === path) continue;
      before += 1;
      // Enough is there to be what it was.
      if (parentOf(earlier) === path && isKnown(parts, earlier)) return;
    }
  } catch (error) {
    if (!isDataFailure(error)) throw error;
    before += 1;
  }
  if (before > 0) throw new HoldfastError('source_not_mounted', { path: gone.path, problem: 'earlier-disk' });
}

/** Returns those of the paths at which the tree has something that the catalog lacks, or where the tree cannot be read. */
async function missedOf(
  warned: ReadonlySet<string>,
  { recordsAt }: NewestTree,
  parts: EarlierParts,
): Promise<ReadonlySet<string>> {
  const missed = new Set<string>();
  const look = async (folder: string, among: readonly string[]): Promise<void> => {
    try {
      for await (const { path: earlier } of recordsAt(folder)) {
        const named = ancestorIn(warned, earlier);
        if (named !== undefined && !missed.has(named) && !isKnown(parts, earlier)) missed.add(named);
      }
    } catch (error) {
      if (!isDataFailure(error)) throw error;
      for (const path of among) missed.add(path);
    }
  };
  const paths = [...warned];
  if (paths.length <= MOST_LOOKUPS) for (const path of paths) await look(path, [path]);
  else {
    for (const root of parts.roots.present) {
      const inside = paths.filter((path) => isWithin(path, root.path));
      if (inside.length > 0) await look(root.path, inside);
    }
  }
  return missed;
}

/** Returns the path itself, or the nearest folder above it, that is in a set. */
export function ancestorIn(paths: ReadonlySet<string>, path: string): string | undefined {
  for (let at = path; ; at = parentOf(at)) {
    if (paths.has(at)) return at;
    if (parentOf(at) === at) return undefined;
  }
}

/** Returns whether the catalog has an entry. */
function isKnown({ entries, run, roots }: EarlierParts, path: string): boolean {
  return entryAt(entries, run, roots.present, path) !== undefined;
}
