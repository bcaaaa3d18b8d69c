/** A volume as it was at one moment, which no program has locked and none writes to. */
export interface VolumeCopy {
  /** Returns the entry path in the copy. @param path entry path on the volume */
  placeOf(path: string): string;
}

/** Makes copies of volumes: shadow copies of Windows, snapshots of macOS. */
export interface VolumeCopies {
  /**
   * Returns the copy of the volume that has an entry, and makes it if there is none yet. Returns `undefined` if there can be none: not
   * every volume has copies, and not every account may make them. Never rejects.
   *
   * @param path entry path
   */
  copyFor(path: string): Promise<VolumeCopy | undefined>;
  /** Deletes the copies that were made. Never rejects. */
  deleteAll(): Promise<void>;
}

/**
 * The files of a run that are read from a copy of their volume, since a program has them locked or keeps writing to them. It stays theirs
 * until the end of the run, since chunks are read again when they are uploaded.
 */
export class FilesInCopies implements AsyncDisposable {
  readonly #copies: VolumeCopies | undefined;
  readonly #places = new Map<string, string>();

  constructor(copies: VolumeCopies | undefined) {
    this.#copies = copies;
  }

  /** Returns whether files may be in a copy. */
  get canCopy(): boolean {
    return this.#copies !== undefined;
  }

  /** The path to read an entry's content from. */
  readonly placeOf = (path: string): string => this.#places.get(path) ?? path;

  /** Has files read from copies. Returns those for which there is one. */
  async use<File extends { readonly path: string }>(files: Iterable<File>): Promise<readonly File[]> {
    const found: File[] = [];
    for (const file of files) {
      const copy = await this.#copies?.copyFor(file.path);
      if (!copy) continue;
      this.#places.set(file.path, copy.placeOf(file.path));
      found.push(file);
    }
    return found;
  }

  /** Has a file read where it is again, since it is not in the copy. */
  leave(path: string): void {
    this.#places.delete(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#copies?.deleteAll();
  }
}
