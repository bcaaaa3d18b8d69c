import { isWithin } from '../../../model/entry-path.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { CatalogEntries, KnownRoot, SetRun } from '../../../catalog/entries/entries.ts';
import type { KnownEntry } from '../../../catalog/entries/entry.ts';
import { depthOf, type Places } from '../../scan/places.ts';
import type { TreeMount } from '../../../format/tree/record.ts';
import type { CheckedRoots } from './check-roots.ts';
import { entryAt } from './entry-at.ts';

/** More are not named in a tree. */
const MOST_MOUNTS = 1_000;

/**
 * Returns what was mounted where the set's files were seen: at folders in the sources, and at those that sources lie in. The tree names it, for a
 * computer whose catalog does not know it any more.
 *
 * @param missing what the run does without: its entries are still those of the last version
 */
export function mountsOf(
  entries: CatalogEntries,
  run: SetRun,
  {
    roots,
    missing,
    places,
  }: {
    readonly roots: readonly KnownRoot[];
    readonly missing: readonly { readonly path: string }[];
    readonly places: Places;
  },
): readonly TreeMount[] {
  const mounts = new Map<string, number>();
  for (const { path, real } of roots) {
    const place = entries.find(run.rootsDirectory, path)?.place;
    if (place === undefined || depthOf(place) === 0) continue;
    const segments = real.split('/').slice(0, depthOf(place) + 1);
    if (segments.length === depthOf(place) + 1) mounts.set(segments.join('/'), place);
  }
  for (const path of [...places.mountPointsIn(roots), ...missing.map((folder) => folder.path)]) {
    const mount = entryAt(entries, run, roots, path);
    // Nothing can be lost with what has nothing: file systems in memory are others after each start.
    if (mount && hasEntries(entries, mount) && places.isMountPoint(path, { number: mount.place })) {
      mounts.set(path, mount.place);
    }
  }
  return [...mounts].slice(0, MOST_MOUNTS).map(([path, place]) => ({ path, place }));
}

function hasEntries(entries: CatalogEntries, { child }: KnownEntry): boolean {
  return child !== null && entries.page(child, '', 1).length > 0;
}

/**
 * Refuses a run whose catalog does not know the newest restore point, if disks that this has are not there: nothing could stay of them, and their
 * files would look deleted. All are named at once, so that one answer is enough for all of them.
 *
 * @param optional entry paths of what may be absent
 * @throws HoldfastError `source_not_mounted`, details `{problem: 'earlier-disk' | 'earlier-disks'}`
 */
export function requireMounts(
  mounts: readonly TreeMount[],
  { present, absent, accepts, places, remaining }: CheckedRoots,
  optional: readonly string[],
): void {
  const roots = [...present, ...absent];
  const missed = mounts.filter(({ path, place }) => {
    if (accepts(path) || optional.some((folder) => isWithin(path, folder))) return false;
    if (places.of(path)?.number === place) return false;
    if (roots.some((root) => isWithin(path, root.path))) return true;
    // On a new computer the sources may lie on another disk. They have files there.
    const isBare = (root: string): boolean =>
      remaining.leftIn({ path: root, scope: remaining.rootScope(root) }).most !== 'files';
    return present.some(({ path: root, real }) => isWithin(real, path) && !accepts(root) && isBare(root));
  });
  const [path, ...others] = missed.map((mount) => mount.path).toSorted();
  if (path === undefined) return;
  throw new HoldfastError(
    'source_not_mounted',
    others.length === 0
      ? { path, problem: 'earlier-disk' }
      : { path, problem: 'earlier-disks', count: missed.length, others },
  );
}
