import { isWithin, parentOf, nameOf, withoutTrailingSlash } from '../../../protocol/path.ts';

/** Names that are told of the folder nearest to a path that is not there. */
const NAMES = 5;

/** A path that was asked for and is not in the tree, with what stands nearest. */
export interface MissingPath {
  readonly path: string;
  /** The deepest folder on the way that there is; nothing where not even its root is. */
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

/** Which entries of a tree are asked for, and which of the paths asked for the tree does not have. */
export class PathFilter {
  readonly #wanted: readonly Wanted[];

  /** @param paths entry paths; none is everything. One inside another of them adds nothing. */
  constructor(paths: readonly string[]) {
    this.#wanted = withoutNested(paths).map((path) => ({ path, found: false, parent: undefined, names: [] }));
  }

  /** Entry paths, none inside another; none where everything is asked for. */
  get paths(): readonly string[] {
    return this.#wanted.map((wanted) => wanted.path);
  }

  /** Takes the paths of a tree in its order. */
  takes(path: string): boolean {
    if (this.#wanted.length === 0) return true;
    let taken = false;
    for (const wanted of this.#wanted) {
      if (isWithin(path, wanted.path)) {
        wanted.found = true;
        taken = true;
      } else if (!wanted.found) {
        noteNearest(wanted, path);
      }
    }
    return taken;
  }

  /** After the last entry. */
  missing(): readonly MissingPath[] {
    return this.#wanted.filter((wanted) => !wanted.found).map(({ path, parent, names }) => ({ path, parent, names }));
  }
}

/** Folders come before what is in them, so the last one that is on the way is the deepest. */
function noteNearest(wanted: Wanted, path: string): void {
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
