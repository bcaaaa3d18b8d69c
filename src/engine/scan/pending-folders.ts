/** Folders that wait to be scanned, depth first. */
export class PendingFolders<Folder extends { readonly path: string }> {
  readonly #folders: Folder[] = [];

  /** @param folders in the order in which they are to be scanned */
  add(folders: readonly Folder[]): void {
    for (const folder of folders.toReversed()) this.#folders.push(folder);
  }

  get next(): Folder | undefined {
    return this.#folders.at(-1);
  }

  take(): Folder | undefined {
    return this.#folders.pop();
  }
}
