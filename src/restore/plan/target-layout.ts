import { isWithin, nameOf } from '../../model/entry-path.ts';
import { isSafeName } from '../../os/filesystem/names/entry-name.ts';
import type { RestoreBase } from './target-names.ts';

/**
 * Status of a folder for the entries inside: nothing can exist there (`new`), something may (`existing`), they are skipped
 * with it (`skipped`), or it could not be made (`failed`).
 */
export type FolderStatus = 'new' | 'existing' | 'skipped' | 'failed';

/** The location of an entry below the target folder. */
export interface TargetLocation {
  /** Names of the folders from the target folder down. */
  readonly folder: readonly string[];
  readonly name: string;
  /** The status of the folder. */
  readonly status: FolderStatus;
  /** False if a name could lead out of the folder, or cannot be written on this system. */
  readonly isSafe: boolean;
}

interface OpenFolder {
  /** Entry path. */
  readonly path: string;
  readonly names: readonly string[];
  readonly status: FolderStatus;
  readonly isSafe: boolean;
}

/** Maps entry paths to locations below the target folder, in path order: folders are entered before their entries. */
export class TargetLayout {
  readonly #bases: readonly RestoreBase[];
  readonly #targetStatus: FolderStatus;
  readonly #open: OpenFolder[] = [];
  #base: RestoreBase | undefined;

  /** @param targetStatus of the target folder: `new` if it does not exist yet */
  constructor(bases: readonly RestoreBase[], targetStatus: FolderStatus) {
    this.#bases = bases;
    this.#targetStatus = targetStatus;
  }

  /** Returns `undefined` for an entry that is in no base, such as a folder above one. */
  locate(path: string): TargetLocation | undefined {
    while (this.#open.length > 0 && !isWithin(path, this.#open.at(-1)!.path)) this.#open.pop();
    const parent = this.#open.at(-1) ?? this.#enterBase(path);
    if (!parent) return undefined;
    const isBase = path === this.#base!.path;
    const between = isBase
      ? []
      : path
          .slice(parent.path.length + 1)
          .split('/')
          .slice(0, -1);
    const name = isBase ? this.#base!.name : nameOf(path);
    return {
      folder: between.length === 0 ? parent.names : [...parent.names, ...between],
      name,
      status: parent.status,
      isSafe: parent.isSafe && isSafeName(name) && between.every((segment) => isSafeName(segment)),
    };
  }

  /**
   * Must be called after `locate` of a folder.
   *
   * @param name that the folder got
   * @param status for the entries inside
   */
  enter(path: string, location: TargetLocation, name: string, status: FolderStatus): void {
    this.#open.push({ path, names: [...location.folder, name], status, isSafe: location.isSafe });
  }

  #enterBase(path: string): OpenFolder | undefined {
    if (!this.#base || !isWithin(path, this.#base.path)) {
      this.#base = this.#bases.find((base) => isWithin(path, base.path));
    }
    if (!this.#base) return undefined;
    const { path: base, name, folder = [] } = this.#base;
    const names = path === base || name === '' ? folder : [...folder, name];
    return { path: base, names, status: this.#targetStatus, isSafe: names.every((segment) => isSafeName(segment)) };
  }
}
