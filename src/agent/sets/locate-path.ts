import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import { realPathOf, spelledAsOnDisk } from '../../os/filesystem/real-path.ts';
import { isWithin } from '../../model/entry-path.ts';

/** A backup set, as far as its folders matter here. */
export interface SetRoots {
  readonly name: string;
  /** Paths of this system. */
  readonly roots: readonly string[];
}

export interface LocatedPath {
  readonly set: string;
  /** Entry path of the folder of the set that holds it. */
  readonly root: string;
  /** Entry path. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Finds the set that backs up a file or folder, by its path or, if links lead to it, by its real one. Of several sets it is the one
 * with the nearest folder, and of those the first.
 *
 * @param path absolute
 */
export function locatePath(sets: readonly SetRoots[], path: string): LocatedPath | undefined {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const candidates = [path, realPlaceOf(path)].map((each) => entryPathOf(spelledAsOnDisk(each)));
  const all = sets.flatMap(({ name, roots }) => roots.map((root) => ({ set: name, root: entryPathOf(root) })));
  for (const candidate of new Set(candidates)) {
    const holding = nearest(all.filter(({ root }) => isWithin(candidate, root)));
    if (holding) return { ...holding, path: candidate, isFolder };
  }
  const behindLinks = all.map(({ set, root }) => ({ set, root, real: entryPathOf(realPathOf(root)) }));
  for (const candidate of new Set(candidates)) {
    const holding = nearest(behindLinks.filter(({ real }) => isWithin(candidate, real)));
    if (!holding) continue;
    const { set, root, real } = holding;
    return { set, root, path: root + candidate.slice(real.length), isFolder };
  }
  return undefined;
}

function nearest<Holding extends { readonly root: string }>(holding: readonly Holding[]): Holding | undefined {
  return holding.toSorted((a, b) => b.root.length - a.root.length)[0];
}

/** A link is backed up as a link, so only the folders above it are followed. */
function realPlaceOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
