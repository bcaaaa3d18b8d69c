import type { Folder } from './folder.ts';

interface Level {
  readonly name: string;
  folder: Folder | undefined;
}

/** Open handles at most. Those of upper levels are opened again on the way back. */
const OPEN_LEVELS = 64;

/**
 * Visits folders below a base in any order and keeps their ancestors open, so that neighbours in path order cost one look-up
 * each. The depth is unlimited; the number of handles is not.
 */
export class FolderWalk implements Disposable {
  readonly #base: Folder;
  readonly #levels: Level[] = [];
  /** The uppermost level that is open; those above are closed. */
  #firstOpen = 0;

  /** @param base released by the walk's disposal */
  constructor(base: Folder) {
    this.#base = base;
  }

  /**
   * Opens the folder at these names below the base; the walk holds it until the next call. Throws a system error if it does
   * not exist or is not a folder.
   */
  enter(names: readonly string[]): Folder {
    this.#leaveTo(this.#common(names));
    for (let depth = this.#levels.length; depth < names.length; depth += 1) {
      const name = names[depth]!;
      this.#push(name, this.#top().child(name));
    }
    return this.#top();
  }

  /** Returns the path for `node:fs` of what is at these names, which stays valid until the next call. Throws as `enter` does. */
  pathOf(names: readonly string[]): string | Buffer {
    return this.enter(names.slice(0, -1)).pathOf(names.at(-1)!);
  }

  [Symbol.dispose](): void {
    this.#leaveTo(0);
    this.#base.release();
  }

  #common(names: readonly string[]): number {
    let depth = 0;
    while (depth < this.#levels.length && this.#levels[depth]!.name === names[depth]) depth += 1;
    return depth;
  }

  #leaveTo(depth: number): void {
    while (this.#levels.length > depth) this.#levels.pop()!.folder?.release();
    if (this.#firstOpen >= depth && depth > 0 && this.#levels[depth - 1]!.folder === undefined) this.#reopen();
    this.#firstOpen = Math.min(this.#firstOpen, depth);
  }

  #push(name: string, folder: Folder): void {
    this.#levels.push({ name, folder });
    if (this.#levels.length - this.#firstOpen <= OPEN_LEVELS) return;
    const level = this.#levels[this.#firstOpen]!;
    level.folder?.release();
    level.folder = undefined;
    this.#firstOpen += 1;
  }

  #top(): Folder {
    return this.#levels.at(-1)?.folder ?? this.#base;
  }

  /** Opens all closed levels again, from the base on, and keeps the last ones. */
  #reopen(): void {
    const names = this.#levels.splice(0).map((level) => level.name);
    this.#firstOpen = 0;
    for (const name of names) this.#push(name, this.#top().child(name));
  }
}
