import { isWithin, nameOf } from '../../../protocol/path.ts';
import { isSafeName } from '../../filesystem/entry-name.ts';
import type { RestoreBase } from './target-names.ts';

/**
 * What becomes of a folder, and so of what is inside: `new` (nothing can stand there), `existing` (look), `skipped`
 * (left out with all that is inside) or `failed` (it could not be made).
 */
export type FolderFate = 'new' | 'existing' | 'skipped' | 'failed';

/** Where an entry goes. */
export interface Place {
  /** Names of the folders from the target folder down. */
  readonly folder: readonly string[];
  readonly name: string;
  /** Of the folder. */
  readonly fate: FolderFate;
  /** False where a name could lead out of the folder, or cannot be written on this system. */
  readonly safe: boolean;
}

interface OpenFolder {
  /** Entry path. */
  readonly path: string;
  readonly names: readonly string[];
  readonly fate: FolderFate;
  readonly safe: boolean;
}

/** Maps entry paths to places below the target folder, in path order: folders are entered before what they hold. */
export class TargetLayout {
  readonly #bases: readonly RestoreBase[];
  readonly #targetFate: FolderFate;
  readonly #open: OpenFolder[] = [];
  #base: RestoreBase | undefined;

  /** @param targetFate of the target folder: `new` where it is not there yet */
  constructor(bases: readonly RestoreBase[], targetFate: FolderFate) {
    this.#bases = bases;
    this.#targetFate = targetFate;
  }

  /** Nothing for an entry that is in no base, such as a folder on the way to one. */
  place(path: string): Place | undefined {
    while (this.#open.length > 0 && !isWithin(path, this.#open.at(-1)!.path)) this.#open.pop();
    const parent = this.#open.at(-1) ?? this.#enterBase(path);
    if (!parent) return undefined;
    const between =
      path === this.#base!.path
        ? []
        : path
            .slice(parent.path.length + 1)
            .split('/')
            .slice(0, -1);
    const name = path === this.#base!.path ? this.#base!.name : nameOf(path);
    return {
      folder: between.length === 0 ? parent.names : [...parent.names, ...between],
      name,
      fate: parent.fate,
      safe: parent.safe && isSafeName(name) && between.every((segment) => isSafeName(segment)),
    };
  }

  /** After `place` of a folder: what became of it, under the name that it got. */
  enter(path: string, place: Place, name: string, fate: FolderFate): void {
    this.#open.push({ path, names: [...place.folder, name], fate, safe: place.safe });
  }

  #enterBase(path: string): OpenFolder | undefined {
    if (!this.#base || !isWithin(path, this.#base.path)) {
      this.#base = this.#bases.find((base) => isWithin(path, base.path));
    }
    if (!this.#base) return undefined;
    const { path: base, name } = this.#base;
    const names = path === base || name === '' ? [] : [name];
    return { path: base, names, fate: this.#targetFate, safe: names.every((segment) => isSafeName(segment)) };
  }
}
