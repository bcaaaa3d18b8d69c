/** Milliseconds after which an unfinished file was left by a process that was killed. */
const ABANDONED = 24 * 60 * 60 * 1000;

interface LeftOver {
  readonly path: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly modified: number;
}

/** Unfinished files that a listing came across. A later `put` deletes the old ones, so that reading never writes. */
export class LeftOvers {
  #found: LeftOver[] = [];

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  note(path: string, modified: number): void {
    this.#found.push({ path, modified });
  }

  /** Returns the paths of old files, once. @param now by the store's clock */
  take(now: number): readonly string[] {
    const old = this.#found.filter(({ modified }) => now - modified > ABANDONED);
    this.#found = [];
    return old.map(({ path }) => path);
  }
}
