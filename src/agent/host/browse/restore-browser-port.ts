import { Worker } from 'node:worker_threads';
import { HoldfastError } from '../../../base/errors.ts';
import { errorOf } from '../../../base/failure.ts';
import type { BrowsedEntry } from '../../../ipc/contract/restore.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { FindInput, OpenInput, RowsInput, RowsOutput } from './restore-browser.ts';
import type { BrowseAnswer, BrowseCall, BrowseThreadSetup, ToBrowseThread } from './restore-index-thread.ts';

const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** A person who browses does something in that time. */
const IDLE_MS = 10 * 60_000;
/** What an orderly end takes at most. */
const END_MS = 5000;

/** The thread in which restore points are browsed: it begins with the first question, and ends when nobody asks any more. */
export class RestoreBrowserPort {
  readonly #setup: BrowseThreadSetup;
  #thread: BrowseThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ home, environment }: Pick<AgentParts, 'home' | 'environment'>) {
    this.#setup = { home: home.folder, environment: { ...environment } };
  }

  /** Begins the thread, so that the first question need not wait for it. */
  warm(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    if (this.#thread?.isOver ?? true) this.#thread = new BrowseThread(this.#setup);
  }

  async open(input: OpenInput): Promise<string> {
    return (await this.#ask({ kind: 'open', input })) as string;
  }

  async rows(input: RowsInput): Promise<RowsOutput> {
    return (await this.#ask({ kind: 'rows', input })) as RowsOutput;
  }

  async find(input: FindInput): Promise<BrowsedEntry[]> {
    return (await this.#ask({ kind: 'find', input })) as BrowsedEntry[];
  }

  /** Forgets everything; listings that are still asked for have to be opened again. */
  close(): void {
    clearTimeout(this.#idle);
    this.#thread?.end();
    this.#thread = undefined;
  }

  #ask(call: BrowseCall): Promise<unknown> {
    this.warm();
    return this.#thread!.ask(call);
  }
}

class BrowseThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #next = 1;
  #ended: Error | undefined;

  constructor(setup: BrowseThreadSetup) {
    this.#worker = new Worker(new URL('./restore-index-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: MEMORY,
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: BrowseAnswer) => this.#take(answer));
    this.#worker.on('error', (error: Error) => this.#over(error));
    this.#worker.on('exit', () => this.#over(new HoldfastError('refused', { problem: 'listing-closed' })));
  }

  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  ask(call: BrowseCall): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const waiting = Promise.withResolvers<unknown>();
    const id = this.#next;
    this.#next += 1;
    this.#waiting.set(id, waiting);
    this.#post({ id, call });
    return waiting.promise;
  }

  /** It lets go of the destination first. */
  end(): void {
    this.#post({ kind: 'end' });
    const timer = setTimeout(() => void this.#worker.terminate(), END_MS).unref();
    this.#worker.once('exit', () => clearTimeout(timer));
  }

  #post(message: ToBrowseThread): void {
    this.#worker.postMessage(message);
  }

  #take({ id, value, failure, error }: BrowseAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure) waiting?.reject(errorOf(failure));
    else if (error !== undefined) waiting?.reject(error);
    else waiting?.resolve(value);
  }

  #over(error: Error): void {
    this.#ended ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended);
    this.#waiting.clear();
  }
}
