import { parentOf, withoutTrailingSlash } from '../../../protocol/path.ts';
import type { ConflictChoice, PathChoice } from '../../job/job-request.ts';

/** What happens to existing entries: the deepest path with a choice of its own decides, then the choice for all. */
export class PathChoices {
  readonly #forAll: ConflictChoice | undefined;
  readonly #byPath: ReadonlyMap<string, ConflictChoice>;

  constructor(forAll: ConflictChoice | undefined, choices: readonly PathChoice[] = []) {
    this.#forAll = forAll;
    this.#byPath = new Map(choices.map(({ path, choice }) => [withoutTrailingSlash(path), choice]));
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
