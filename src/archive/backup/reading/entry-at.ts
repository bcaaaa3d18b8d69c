import { isWithin } from '../../../model/entry-path.ts';
import type { CatalogEntries, KnownRoot, SetRun } from '../../../catalog/entries/entries.ts';
import type { KnownEntry } from '../../../catalog/entries/entry.ts';

/** Returns the catalog's entry of a path in one of the roots; `undefined` if the set has none. @param path entry path */
export function entryAt(
  entries: CatalogEntries,
  { rootsDirectory }: SetRun,
  roots: readonly Pick<KnownRoot, 'path'>[],
  path: string,
): KnownEntry | undefined {
  const root = roots.find((one) => isWithin(path, one.path));
  if (!root) return undefined;
  let entry = entries.find(rootsDirectory, root.path);
  for (const name of path.slice(root.path.length).split('/').filter(Boolean)) {
    entry = entry && entry.child !== null ? entries.find(entry.child, name) : undefined;
  }
  return entry;
}
