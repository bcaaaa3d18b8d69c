import { parentOf, withoutTrailingSlash } from '../../model/entry-path.ts';
import type { ConflictChoice, PathChoice } from '../../model/restore-request.ts';

/** What happens to existing entries: the deepest path with a choice of its own decides, then the choice for all. */
export class PathChoices {
  readonly #forAll: ConflictChoice | undefined;
  readonly #byPath: ReadonlyMap<string, ConflictChoice>;
  readonly #unmet: Set<string>;

  constructor(forAll: ConflictChoice | undefined, choices: readonly PathChoice[] = []) {
    this.#forAll = forAll;
    this.#byPath = new Map(choices.map(({ path, choice }) => [withoutTrailingSlash(path), choice]));
    this.#unmet = new Set(this.#byPath.keys());
  }

  /** The first path with a choice of its own that no met entry has or is in. */
  get unmet(): string | undefined {
    const [path] = this.#unmet;
    return path;
  }

  /** Notes an entry that is going to be restored. */
  meet(path: string): void {
    if (this.#unmet.size === 0) return;
    this.#unmet.delete('');
    for (let above = path; above !== ''; above = parentOf(above)) this.#unmet.delete(above);
  }

  of(path: string): ConflictChoice | undefined {
    if (this.#byPath.size === 0) return this.#forAll;
    for (let above = path; above !== ''; above = parentOf(above)) {
      const choice = this.#byPath.get(above);
      if (choice !== undefined) return choice;
    }
    // A choice for `/`.
    return this.#byPath.get('') ?? this.#forAll;
  }
}

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
