import { parentOf, withoutTrailingSlash } from '../../../protocol/path.ts';

/**
 * What is left out of a restore although the folder that it is in is asked for. The deepest of what is asked for and what
 * is left out decides about an entry: a folder that is asked for inside one that is left out comes back.
 */
export class PathExclusion {
  readonly #without: ReadonlySet<string>;
  readonly #paths: ReadonlySet<string>;
  /** Folders that lead to what is asked for inside of what is left out. */
  readonly #onTheWay = new Set<string>();

  /**
   * @param without entry paths; everything below is left out too
   * @param paths entry paths that are asked for; none is everything
   */
  constructor(without: readonly string[], paths: readonly string[]) {
    this.#without = new Set(without.map(withoutTrailingSlash));
    this.#paths = new Set(paths.map(withoutTrailingSlash));
    if (this.#without.size === 0) return;
    for (const path of this.#paths)
      for (let above = parentOf(path); above !== ''; above = parentOf(above)) this.#onTheWay.add(above);
  }

  has(path: string): boolean {
    if (this.#without.size === 0 || this.#onTheWay.has(path)) return false;
    for (let above = path; above !== ''; above = parentOf(above)) {
      if (this.#without.has(above)) return true;
      if (this.#paths.has(above)) return false;
    }
    return false;
  }
}
