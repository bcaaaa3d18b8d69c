import { LeadingFolders } from './leading-folders.ts';

/**
 * Folders that wait to be scanned: those that lead to where something is known to have changed before all others, and
 * each kind depth first.
 */
export class PendingFolders<Folder extends { readonly path: string }> {
  readonly #leading: LeadingFolders;
  readonly #first: Folder[] = [];
  readonly #rest: Folder[] = [];

  /** @param first entry paths of folders that come first */
  constructor(first: readonly string[]) {
    this.#leading = new LeadingFolders(first);
  }

  /** @param folders in the order in which they are to be scanned */
  add(folders: readonly Folder[]): void {
    for (const folder of folders.toReversed()) (this.#leading.has(folder.path) ? this.#first : this.#rest).push(folder);
  }

  get next(): Folder | undefined {
    return this.#first.at(-1) ?? this.#rest.at(-1);
  }

  take(): Folder | undefined {
    return this.#first.pop() ?? this.#rest.pop();
  }
}
