import { readdirSync } from 'node:fs';
import { isWithin } from '../../../protocol/path.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { CatalogEntries, KnownRoot, SetRun } from '../../catalog/entries/entries.ts';
import { fileSystemPath } from '../../filesystem/names/entry-path.ts';
import { depthOf, type Places } from '../../scan/places.ts';
import type { TreeMount } from '../../tree/record.ts';
import type { CheckedRoots } from './check-roots.ts';

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
  { rootsDirectory }: SetRun,
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
    const place = entries.find(rootsDirectory, path)?.place;
    if (place === undefined || depthOf(place) === 0) continue;
    const segments = real.split('/').slice(0, depthOf(place) + 1);
    if (segments.length === depthOf(place) + 1) mounts.set(segments.join('/'), place);
  }
  for (const path of [...places.mountPointsIn(roots), ...missing.map((folder) => folder.path)]) {
    const root = roots.find((each) => isWithin(path, each.path));
    const place = root && placeAt(entries, rootsDirectory, root.path, path);
    if (place !== undefined && places.isMountPoint(path, { number: place })) mounts.set(path, place);
  }
  return [...mounts].slice(0, MOST_MOUNTS).map(([path, place]) => ({ path, place }));
}

/** Returns the place of the entry at a path; `undefined` if the set has none. */
function placeAt(entries: CatalogEntries, rootsDirectory: number, root: string, path: string): number | undefined {
  let entry = entries.find(rootsDirectory, root);
  for (const name of path.slice(root.length).split('/').filter(Boolean)) {
    entry = entry && entry.child !== null ? entries.find(entry.child, name) : undefined;
  }
  return entry?.place;
}

/**
 * Refuses a run whose catalog does not know the newest restore point, if a disk that this has is not there: nothing could stay of it, and its files
 * would look deleted.
 *
 * @param optional entry paths of what may be absent
 * @throws HoldfastError `source_not_mounted`, details `{problem: 'earlier-disk'}`
 */
export function requireMounts(
  mounts: readonly TreeMount[],
  { present, absent, accepts, places }: CheckedRoots,
  optional: readonly string[],
): void {
  const roots = [...present, ...absent];
  for (const { path, place } of mounts) {
    if (accepts(path) || optional.some((folder) => isWithin(path, folder))) continue;
    if (places.of(path)?.number === place) continue;
    const isInside = roots.some((root) => isWithin(path, root.path));
    // On a new computer the sources may lie on another disk. They are not empty there.
    const isEmpty = present.some(
      ({ path: root, real }) => isWithin(real, path) && !accepts(root) && isEmptyFolder(root),
    );
    if (isInside || isEmpty) throw new HoldfastError('source_not_mounted', { path, problem: 'earlier-disk' });
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(fileSystemPath(path)).length === 0;
  } catch {
    return false;
  }
}
