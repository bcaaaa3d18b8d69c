import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A volume as it was at one moment, which no program has locked and none writes to. */
export interface VolumeCopy {
  /** Returns the entry path in the copy. @param path entry path on the volume */
  placeOf(path: string): string;
}

const PREFIX = 'databases-';

/** Removes the copies of single files that a run has left which was killed. @param scratch folder of a home that no other run uses */
export function removeOldCopies(scratch: string): void {
  for (const name of readdirSync(scratch)) {
    if (name.startsWith(PREFIX)) rmSync(join(scratch, name), { recursive: true, force: true });
  }
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
  /** Packed stats of the files that copies of single files are of. */
  readonly #stats = new Map<string, Uint8Array>();
  #folder: string | undefined;
  /** Sources that are links to files. */
  readonly #followed = new Map<string, string>();

  constructor(copies: VolumeCopies | undefined) {
    this.#copies = copies;
  }

  /** Returns whether files may be in a copy. */
  get canCopy(): boolean {
    return this.#copies !== undefined;
  }

  /** Has a source read where it leads. @param path entry path @param real where the links on it lead */
  follow(path: string, real: string): void {
    if (real !== path) this.#followed.set(path, real);
  }

  /** The path of an entry itself: another one for a source that is a link. */
  realPathOf(path: string): string {
    return this.#followed.get(path) ?? path;
  }

  /** The path to read an entry's content from. */
  readonly placeOf = (path: string): string => this.#places.get(path) ?? this.realPathOf(path);

  /** Returns whether a file is read from a copy. */
  isCopied(path: string): boolean {
    return this.#places.has(path);
  }

  /** Reads files from copies of their volumes from now on. Returns those for which there is a copy. */
  async use<File extends { readonly path: string }>(files: Iterable<File>): Promise<readonly File[]> {
    const found: File[] = [];
    for (const file of files) {
      const path = this.realPathOf(file.path);
      const copy = await this.#copies?.copyFor(path);
      if (!copy) continue;
      this.#places.set(file.path, copy.placeOf(path));
      found.push(file);
    }
    return found;
  }

  /** Returns a folder of this run for copies of single files. @param scratch an existing folder */
  folderIn(scratch: string): string {
    return (this.#folder ??= mkdtempSync(join(scratch, PREFIX)));
  }

  /** Has a file read from a copy of it alone. @param stat of the file itself */
  useCopy(path: string, copy: string, stat: Uint8Array): void {
    this.#places.set(path, copy);
    this.#stats.set(path, stat);
  }

  /** Returns the stat of a file that is read from a copy of it alone. */
  statOf(path: string): Uint8Array | undefined {
    return this.#stats.get(path);
  }

  /** Reads a file from its own place again, since the copy does not have it. */
  leave(path: string): void {
    this.#places.delete(path);
    this.#stats.delete(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    await this.#copies?.deleteAll();
  }
}
