import { DAY } from '../model/units.ts';

/** Milliseconds after which an unfinished file was left by a process that was killed. */
export const ABANDONED = DAY;

/** An unfinished file. */
export interface LeftOver {
  readonly path: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly modified: number;
  readonly bytes: number;
}

/** Unfinished files that a listing came across. A later `put` deletes the old ones, so that reading never writes. */
export class LeftOvers {
  #found = new Map<string, LeftOver>();

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  note(path: string, modified: number, bytes: number): void {
    this.#found.set(path, { path, modified, bytes });
  }

  /** Returns those that nobody has touched for so many milliseconds. @param now by the store's clock */
  olderThan(age: number, now: number): readonly LeftOver[] {
    return [...this.#found.values()].filter(({ modified }) => now - modified > age);
  }

  /** Returns the paths of old files, once. @param now by the store's clock */
  take(now: number, age = ABANDONED): readonly string[] {
    const old = this.olderThan(age, now).map(({ path }) => path);
    this.#found.clear();
    return old;
  }
}
