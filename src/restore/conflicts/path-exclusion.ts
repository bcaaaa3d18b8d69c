import { parentOf, withoutTrailingSlash } from '../../model/entry-path.ts';

/**
 * Excludes paths inside the requested ones. The deepest requested or excluded path decides about an entry: a requested
 * folder inside an excluded one is restored.
 */
export class PathExclusion {
  readonly #excluded: ReadonlySet<string>;
  readonly #requested: ReadonlySet<string>;
  /** Folders above a requested path. */
  readonly #aboveRequested = new Set<string>();

  /**
   * @param excluded entry paths; everything below is excluded too
   * @param requested entry paths; an empty list requests everything
   */
  constructor(excluded: readonly string[], requested: readonly string[]) {
    this.#excluded = new Set(excluded.map(withoutTrailingSlash));
    this.#requested = new Set(requested.map(withoutTrailingSlash));
    if (this.#excluded.size === 0) return;
    for (const path of this.#requested)
      for (let above = parentOf(path); above !== ''; above = parentOf(above)) this.#aboveRequested.add(above);
  }

  excludes(path: string): boolean {
    if (this.#excluded.size === 0 || this.#aboveRequested.has(path)) return false;
    for (let above = path; above !== ''; above = parentOf(above)) {
      if (this.#excluded.has(above)) return true;
      if (this.#requested.has(above)) return false;
    }
    return false;
  }
}
