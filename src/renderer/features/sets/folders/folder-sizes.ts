import pLimit from 'p-limit';
import { Observable } from '../../../shared/observable.ts';
import { pollEstimate, stopEstimate } from '../estimate/poll-estimate.ts';

/** A folder to count, with the rules that apply inside of it. */
export interface SizeQuestion {
  readonly path: string;
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
}

export interface FolderSize {
  /** NaN for a folder that cannot be counted. */
  readonly bytes: number;
  readonly isDone: boolean;
}

/** Counts the size of folders, one at a time, so that the visible ones do not compete with each other. */
export class FolderSizes extends Observable {
  readonly #sizes = new Map<string, FolderSize>();
  readonly #queue = pLimit(1);
  #current: { readonly key: string; readonly ends: AbortController } | undefined;

  of(question: SizeQuestion): FolderSize | undefined {
    return this.#sizes.get(keyOf(question));
  }

  /** Counts these folders in their order, and no other any more. */
  want(questions: readonly SizeQuestion[]): void {
    const keys = questions.map(keyOf);
    if (this.#current && !keys.includes(this.#current.key)) this.#current.ends.abort();
    this.#queue.clearQueue();
    for (const question of questions) void this.#queue(() => this.#count(question));
  }

  close(): void {
    this.want([]);
  }

  async #count(question: SizeQuestion): Promise<void> {
    if (this.of(question)?.isDone === true) return;
    const key = keyOf(question);
    const { path, excludes, presets, oneFileSystem } = question;
    const estimate = crypto.randomUUID();
    const request = { estimate, roots: [path], excludes: [...excludes], presets: [...presets], oneFileSystem };
    const ends = new AbortController();
    this.#current = { key, ends };
    try {
      await pollEstimate(request, ({ bytes, done }) => this.#take(key, { bytes, isDone: done }), ends.signal);
      if (ends.signal.aborted) stopEstimate(estimate);
    } catch {
      // Its row shows that it cannot be read.
      this.#take(key, { bytes: Number.NaN, isDone: true });
    } finally {
      this.#current = undefined;
    }
  }

  #take(key: string, size: FolderSize): void {
    this.#sizes.set(key, size);
    this.changed();
  }
}

function keyOf({ path, excludes, presets, oneFileSystem }: SizeQuestion): string {
  return JSON.stringify([path, excludes, presets, oneFileSystem]);
}
