/** Queue of folders to scan: those on the way to known changes before all others, depth first in both groups. */
export class PendingFolders<Folder extends { readonly path: string }> {
  /** Folders with known changes, and their ancestors. */
  readonly #leading: ReadonlySet<string>;
  readonly #first: Folder[] = [];
  readonly #rest: Folder[] = [];

  /** @param first entry paths of folders that come first; missing ones are ignored */
  constructor(first: readonly string[]) {
    this.#leading = withAncestors(first);
  }

  /** @param folders in the order of the scan */
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

function withAncestors(folders: readonly string[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const path of folders) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (paths.has(folder)) break;
      paths.add(folder);
    }
    paths.add('/');
  }
  return paths;
}
