import type { FoundFile } from '../../scan/types.ts';

/** A volume as it was at one moment, which no program has locked. */
export interface ShadowCopy {
  /** Entry path of the copy's root, without a slash at its end. */
  readonly root: string;
}

/** Makes copies of volumes that can be read while programs have files locked (Volume Shadow Copy Service of Windows). */
export interface ShadowCopies {
  /**
   * Returns a copy, or `undefined` if there can be none: it takes an administrator.
   *
   * @param volume entry path of its root, such as `C:/`
   */
  create(volume: string): Promise<ShadowCopy | undefined>;
  /** Deletes the copies that `create` has made. Never rejects. */
  deleteAll(): Promise<void>;
}

const DRIVE = /^[A-Za-z]:\//;

/**
 * Finds another place to read files from that a program has locked. It stays theirs until the end of the run, since chunks are read again
 * when they are uploaded.
 */
export class LockedFiles implements AsyncDisposable {
  readonly #copies: ShadowCopies | undefined;
  readonly #volumes = new Map<string, ShadowCopy | undefined>();
  readonly #places = new Map<string, string>();

  constructor(copies: ShadowCopies | undefined) {
    this.#copies = copies;
  }

  /** The path to read an entry's content from. */
  readonly placeOf = (path: string): string => this.#places.get(path) ?? path;

  /** Returns the files that can be read now. */
  async unlock(files: readonly FoundFile[]): Promise<readonly FoundFile[]> {
    const unlocked: FoundFile[] = [];
    for (const file of files) {
      const copy = await this.#copyOf(file.path);
      if (!copy) continue;
      this.#places.set(file.path, `${copy.root}/${file.path.replace(DRIVE, '')}`);
      unlocked.push(file);
    }
    return unlocked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#volumes.size > 0) await this.#copies?.deleteAll();
  }

  async #copyOf(path: string): Promise<ShadowCopy | undefined> {
    const volume = DRIVE.exec(path)?.[0].toUpperCase();
    // Shares of other computers have no copies here.
    if (volume === undefined) return undefined;
    if (!this.#volumes.has(volume)) this.#volumes.set(volume, await this.#copies?.create(volume));
    return this.#volumes.get(volume);
  }
}
