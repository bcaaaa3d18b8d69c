import { isWithin, parentOf, nameOf, withoutTrailingSlash } from '../../model/entry-path.ts';

/** Names listed of the folder nearest to a missing path. */
const NAMES = 5;

/** A requested path that is not in the tree, with the nearest folder that is. */
export interface MissingPath {
  readonly path: string;
  /** The deepest existing folder above the path; `undefined` if not even its root exists. */
  readonly parent: string | undefined;
  /** A few names in that folder. */
  readonly names: readonly string[];
}

interface Wanted {
  readonly path: string;
  found: boolean;
  parent: string | undefined;
  names: string[];
}

/** Selects the entries of a tree that were requested, and reports requested paths that the tree does not have. */
export class PathFilter {
  readonly #wanted: Wanted[];
  readonly #also = new Set<string>();

  /** @param paths entry paths; an empty list selects everything. A path inside another one adds nothing. */
  constructor(paths: readonly string[]) {
    this.#wanted = withoutNested(paths).map((path) => ({ path, found: false, parent: undefined, names: [] }));
  }

  /** Entry paths, none inside another; empty if everything is selected. */
  get paths(): readonly string[] {
    return this.#wanted.map((wanted) => wanted.path);
  }

  /** Returns whether the path itself was requested. */
  isRequested(path: string): boolean {
    return this.#wanted.some((wanted) => wanted.path === path);
  }

  /** Selects a path that follows, too, if the tree has it. */
  alsoTake(path: string): void {
    this.#also.add(path);
  }

  /** Returns whether the entry is selected. To be called for the paths of a tree in order. */
  takes(path: string): boolean {
    if (this.#wanted.length === 0) return true;
    if (this.#also.delete(path) && !this.#wanted.some((wanted) => isWithin(path, wanted.path))) {
      this.#wanted.push({ path, found: true, parent: undefined, names: [] });
    }
    let taken = false;
    for (const wanted of this.#wanted) {
      if (isWithin(path, wanted.path)) {
        wanted.found = true;
        taken = true;
      } else if (!wanted.found) {
        updateNearest(wanted, path);
      }
    }
    return taken;
  }

  /** Index in `paths` of the one that contains a selected entry; 0 if everything is selected. */
  indexOf(path: string): number {
    return Math.max(
      0,
      this.#wanted.findIndex((wanted) => isWithin(path, wanted.path)),
    );
  }

  /** Must be called after the last entry. */
  missing(): readonly MissingPath[] {
    return this.#wanted.filter((wanted) => !wanted.found).map(({ path, parent, names }) => ({ path, parent, names }));
  }
}

/** Folders come before their entries, so the last folder above the path is the deepest. */
function updateNearest(wanted: Wanted, path: string): void {
  if (wanted.path.startsWith(path) && wanted.path[path.length] === '/') {
    wanted.parent = path;
    wanted.names = [];
  } else if (wanted.parent !== undefined && wanted.names.length < NAMES && parentOf(path) === wanted.parent) {
    wanted.names.push(nameOf(path));
  }
}

function withoutNested(paths: readonly string[]): readonly string[] {
  const plain = [...new Set(paths.map(withoutTrailingSlash))];
  if (plain.includes('')) return [];
  return plain.filter((path) => !plain.some((other) => other !== path && isWithin(path, other)));
}
