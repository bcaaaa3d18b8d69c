/** Folders that are known to have changed, and those that lead there. */
export class LeadingFolders {
  readonly #paths = new Set<string>();

  /** @param first entry paths of folders; one that does not exist does no harm */
  constructor(first: readonly string[]) {
    for (const path of first) {
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
        const folder = path.slice(0, end);
        if (this.#paths.has(folder)) break;
        this.#paths.add(folder);
      }
      this.#paths.add('/');
    }
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }
}
