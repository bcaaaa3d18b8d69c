import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CallClient } from '../calls/call-client.ts';
import { Moved, serveCalls } from '../calls/serve-calls.ts';
import { parentThreadPort, workerPort, type WorkerPort } from '../calls/thread-port.ts';

/** The result of a task: its value, and the buffers in it that move to the other thread instead of being copied. */
export interface TaskAnswer<Value> {
  readonly value: Value;
  readonly transfer?: readonly ArrayBuffer[];
}

/** The tasks of a pool by name: functions of one input. */
export type TasksOf<Tasks> = {
  readonly [Name in keyof Tasks]: (input: never) => TaskAnswer<unknown> | Promise<TaskAnswer<unknown>>;
};

export type TaskInput<Tasks extends TasksOf<Tasks>, Name extends keyof Tasks> = Parameters<Tasks[Name]>[0];
export type TaskOutput<Tasks extends TasksOf<Tasks>, Name extends keyof Tasks> = Awaited<
  ReturnType<Tasks[Name]>
>['value'];

/** Loads a task into the thread of the caller. */
type TaskLoaders<Tasks extends TasksOf<Tasks>> = { readonly [Name in keyof Tasks]?: () => Promise<Tasks[Name]> };

/** Runs tasks of some kinds; a caller names only the kinds that it needs. */
export interface TaskRunner<Tasks extends TasksOf<Tasks>> {
  /** The number of tasks that keep every thread busy without piling up. */
  readonly capacity: number;
  run<Name extends Extract<keyof Tasks, string>>(
    name: Name,
    input: TaskInput<Tasks, Name>,
    transfer?: readonly ArrayBuffer[],
  ): Promise<TaskOutput<Tasks, Name>>;
  /** Runs a task of at most a few hundred KiB, without starting a thread for it. */
  runSmall<Name extends Extract<keyof Tasks, string>>(
    name: Name,
    input: TaskInput<Tasks, Name>,
  ): Promise<TaskOutput<Tasks, Name>>;
}

export interface PoolOptions {
  /** The number of threads. */
  readonly size?: number;
  /** Tasks that each thread has before another one is started. 2 suits short tasks: starting a thread takes longer than several of them. */
  readonly tasksBeforeNext?: 1 | typeof TASKS_AHEAD;
}

interface QueuedTask {
  readonly name: string;
  readonly input: unknown;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly port: WorkerPort;
  /** `run` checks the types; the queue holds tasks of all kinds. */
  readonly client: CallClient<Record<string, (input: unknown) => never>>;
}

/** Tasks that a thread has been sent: the one that it performs and the next one, so that it is never idle in between. */
const TASKS_AHEAD = 2;

/** Tasks make little garbage; without a bound each thread would collect tens of MB of it. */
const LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * Threads that take tasks from one queue as they become free. A thread is started when it is first needed, and
 * keeps the process alive only while it has tasks. The queue
 * itself has no bound: callers have at most `capacity` tasks under way.
 */
export class ThreadPool<Tasks extends TasksOf<Tasks>> implements TaskRunner<Tasks>, AsyncDisposable {
  readonly #program: URL;
  readonly #small: TaskLoaders<Tasks>;
  readonly #size: number;
  readonly #tasksBeforeNext: number;
  readonly #threads: Thread[] = [];
  readonly #queue: QueuedTask[] = [];
  #isClosed = false;

  /**
   * @param program calls `serveTasks`
   * @param small the tasks that `runSmall` loads into the caller's thread
   */
  constructor(
    program: URL,
    small: TaskLoaders<Tasks>,
    { size = availableParallelism(), tasksBeforeNext = 1 }: PoolOptions = {},
  ) {
    this.#program = program;
    this.#small = small;
    this.#size = Math.max(1, size);
    this.#tasksBeforeNext = tasksBeforeNext;
  }

  get capacity(): number {
    return this.#size * TASKS_AHEAD;
  }

  /** Starts the first thread now, so that the first task does not wait for it. Only for who certainly has tasks. */
  start(): void {
    if (this.#threads.length === 0 && !this.#isClosed) this.#start().worker.unref();
  }

  run<Name extends Extract<keyof Tasks, string>>(
    name: Name,
    input: TaskInput<Tasks, Name>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<TaskOutput<Tasks, Name>> {
    if (this.#isClosed) return Promise.reject(new Error('the thread pool is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ name, input, transfer, resolve, reject });
      this.#dispatch();
    });
  }

  /**
   * Runs the task in the thread of the caller until a thread has been started: starting one takes a hundred times as
   * long as such a task, and a run without changes has no more to do.
   */
  async runSmall<Name extends Extract<keyof Tasks, string>>(
    name: Name,
    input: TaskInput<Tasks, Name>,
  ): Promise<TaskOutput<Tasks, Name>> {
    const load = this.#small[name];
    if (!load || this.#isClosed || this.#threads.length > 0) return await this.run(name, input);
    const task = await load();
    return (await task(input)).value;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new Error('the thread pool was closed');
    for (const task of this.#queue.splice(0)) task.reject(reason);
    await Promise.all(this.#threads.map(({ port }) => port.end()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const thread = this.#freeThread();
      if (!thread) return;
      void this.#perform(this.#queue.shift()!, thread);
    }
  }

  async #perform({ name, input, transfer, resolve, reject }: QueuedTask, { worker, client }: Thread): Promise<void> {
    worker.ref();
    try {
      resolve(await client.call(name, input, { transfer }));
    } catch (error) {
      reject(error);
    }
    if (client.pending === 0) worker.unref();
    this.#dispatch();
  }

  #freeThread(): Thread | undefined {
    let best: Thread | undefined;
    for (const thread of this.#threads) {
      if (thread.client.pending < (best?.client.pending ?? TASKS_AHEAD)) best = thread;
    }
    const isBusy = (best?.client.pending ?? TASKS_AHEAD) >= this.#tasksBeforeNext;
    return isBusy && this.#threads.length < this.#size ? this.#start() : best;
  }

  #start(): Thread {
    const worker = new Worker(this.#program, { resourceLimits: LIMITS });
    const port = workerPort(worker, (code) => new Error(`a worker thread ended with code ${code}`));
    const thread: Thread = { worker, port, client: new CallClient(port) };
    // The tasks of a thread that ends fail with it; the others continue, and the next task starts a new thread.
    port.onEnd(() => {
      const index = this.#threads.indexOf(thread);
      if (index >= 0) this.#threads.splice(index, 1);
      this.#dispatch();
    });
    this.#threads.push(thread);
    return thread;
  }
}

/** Performs the tasks of a pool. Called by the program of its threads. */
export function serveTasks<Tasks extends TasksOf<Tasks>>(tasks: Tasks): void {
  serveCalls(parentThreadPort(), async (name, input) => {
    const { value, transfer } = await tasks[name as keyof Tasks](input as never);
    return new Moved(value, transfer);
  });
}
