import { Worker } from 'node:worker_threads';
import type { ListedEntry } from '../../engine/restore/types.ts';
import type { IndexAnswer, IndexCall } from './restore-index-thread.ts';
import type { IndexedRows } from './restore-index.ts';

const LIMITS = { maxYoungGenerationSizeMb: 16 };

/** An index of a restore point's tree in a thread of its own, which sorts a million names while nobody waits. */
export class RestoreIndexPort {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<unknown>[] = [];
  #ended: Error | undefined;

  /** @param scratch a folder for its file, which goes with the thread */
  constructor(scratch: string) {
    this.#worker = new Worker(new URL('./restore-index-thread.ts', import.meta.url), {
      workerData: scratch,
      resourceLimits: LIMITS,
    });
    this.#worker.unref();
    this.#worker.on('message', ({ value, error }: IndexAnswer) => {
      const waiting = this.#waiting.shift()!;
      if (error) waiting.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting.resolve(value);
    });
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the index of a restore point was closed')));
  }

  async add(entries: readonly ListedEntry[]): Promise<void> {
    await this.#call({ kind: 'add', entries });
  }

  async has(path: string): Promise<boolean> {
    return (await this.#call({ kind: 'has', path })) as boolean;
  }

  async open(path: string, isSorted: boolean): Promise<number> {
    return (await this.#call({ kind: 'open', path, isSorted })) as number;
  }

  async rows(listing: number, from: number, count: number): Promise<IndexedRows> {
    return (await this.#call({ kind: 'rows', listing, from, count })) as IndexedRows;
  }

  async close(listing: number): Promise<void> {
    await this.#call({ kind: 'close', listing });
  }

  end(): void {
    void this.#worker.terminate();
  }

  #call(call: IndexCall): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(call);
    return waiting.promise;
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#ended);
  }
}
