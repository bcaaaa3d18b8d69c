import { call } from '../../../bridge/bridge.ts';

/** How often it is asked how far a counting is. */
const ASKING = 250;

/** A folder whose size is wanted, with the rules that hold inside of it. */
export interface SizeQuestion {
  readonly path: string;
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
}

export interface FolderSize {
  readonly bytes: number;
  readonly isDone: boolean;
}

/** Counts what folders of the tree hold, one after the other, those that are seen first. For `useSyncExternalStore`. */
export class FolderSizes {
  readonly #sizes = new Map<string, FolderSize>();
  readonly #listeners = new Set<() => void>();
  #wanted: readonly SizeQuestion[] = [];
  #isCounting = false;
  #isClosed = false;
  #version = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  of(question: SizeQuestion): FolderSize | undefined {
    return this.#sizes.get(JSON.stringify(question));
  }

  want(questions: readonly SizeQuestion[]): void {
    this.#isClosed = false;
    this.#wanted = questions;
    if (!this.#isCounting) void this.#count();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #count(): Promise<void> {
    this.#isCounting = true;
    for (let next = this.#next(); next; next = this.#next()) await this.#countOne(next);
    this.#isCounting = false;
  }

  #next(): SizeQuestion | undefined {
    return this.#isClosed ? undefined : this.#wanted.find((one) => this.of(one)?.isDone !== true);
  }

  async #countOne(question: SizeQuestion): Promise<void> {
    const key = JSON.stringify(question);
    const estimate = crypto.randomUUID();
    const { path, excludes, presets, oneFileSystem } = question;
    const request = { estimate, roots: [path], excludes: [...excludes], presets: [...presets], oneFileSystem };
    try {
      for (;;) {
        const { bytes, done } = await call('sets.estimate', request);
        this.#take(key, { bytes, isDone: done });
        if (done) return;
        await new Promise((resolve) => setTimeout(resolve, ASKING));
        if (this.#isClosed || !this.#wanted.some((one) => JSON.stringify(one) === key)) break;
      }
      await call('sets.estimate.stop', { estimate });
    } catch {
      // A folder that cannot be counted has no figure; its row says whether it can be read.
      this.#take(key, { bytes: Number.NaN, isDone: true });
    }
  }

  #take(key: string, size: FolderSize): void {
    this.#sizes.set(key, size);
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
