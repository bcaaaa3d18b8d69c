import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { smallTasks, type SmallTaskName } from './small-tasks.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
import type { WorkerRequest, WorkerResponse } from './worker.ts';

interface Job {
  readonly request: WorkerRequest;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Jobs that it has been sent: one that it works on and one waiting, so that it never idles between two. */
  readonly jobs: Map<number, Job>;
}

const JOBS_AHEAD = 2;

/** Tasks make little garbage; without a bound each thread would let tens of MB of it lie. */
const LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * Threads that take tasks from one queue as they get free. Started when first needed. The queue itself has no bound:
 * whoever feeds it keeps no more than `capacity` tasks under way.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #threads: Thread[] = [];
  readonly #queue: Job[] = [];
  readonly #size: number;
  #nextId = 1;
  #closed = false;

  constructor(size: number = availableParallelism()) {
    this.#size = Math.max(1, size);
  }

  /** Tasks that keep every thread busy without piling up. */
  get capacity(): number {
    return this.#size * JOBS_AHEAD;
  }

  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<TaskOutput<Name>> {
    if (this.#closed) return Promise.reject(new Error('the worker pool is closed'));
    return new Promise((resolve, reject) => {
      const request = { id: this.#nextId, name, input };
      this.#nextId += 1;
      this.#queue.push({ request, transfer, resolve, reject });
      this.#dispatch();
    });
  }

  /**
   * Runs a task of at most a few hundred KiB: in this thread as long as there is no other, since starting one takes a
   * hundred times as long as such a task, and an unchanged run has no more to do.
   */
  async runSmall<Name extends SmallTaskName>(name: Name, input: TaskInput<Name>): Promise<TaskOutput<Name>> {
    if (this.#closed || this.#threads.length > 0) return await this.run(name, input);
    const handler = await smallTasks[name]();
    return handler(input).value;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const reason = new Error('the worker pool was closed');
    for (const job of this.#queue.splice(0)) job.reject(reason);
    await Promise.all(this.#threads.map((thread) => thread.worker.terminate()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#freeThread();
      if (!thread) return;
      const job = this.#queue.shift()!;
      thread.jobs.set(job.request.id, job);
      thread.worker.postMessage(job.request, [...job.transfer]);
    }
  }

  #freeThread(): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.#threads) {
      if (thread.jobs.size < (best?.jobs.size ?? JOBS_AHEAD)) best = thread;
    }
    if (best?.jobs.size === 0 || this.#threads.length >= this.#size) return best;
    return this.#start();
  }

  #start(): Thread {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: LIMITS });
    const thread: Thread = { worker, jobs: new Map() };
    worker.on('message', (response: WorkerResponse) => {
      const job = thread.jobs.get(response.id);
      thread.jobs.delete(response.id);
      if ('error' in response) job?.reject(response.error);
      else job?.resolve(response.value as never);
      this.#dispatch();
    });
    // A thread that dies takes its tasks with it; the others go on, and the next task starts a new one.
    const onEnd = (reason: Error): void => {
      const index = this.#threads.indexOf(thread);
      if (index >= 0) this.#threads.splice(index, 1);
      for (const job of thread.jobs.values()) job.reject(reason);
      thread.jobs.clear();
      if (!this.#closed) this.#dispatch();
    };
    worker.on('error', onEnd);
    worker.on('exit', (code) => onEnd(new Error(`a worker thread ended with code ${code}`)));
    this.#threads.push(thread);
    return thread;
  }
}
