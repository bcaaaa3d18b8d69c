import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Worker, WorkerOptions } from 'node:worker_threads';

const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };
const RealWorker = threads.Worker;

/** The program of the pool's threads, which keep nothing of a task. Others hold the home or a destination open. */
const POOLED = /\/worker\.(?:cjs|ts)$/;
/** The pool's messages (src/base/calls/thread-port.ts). */
const LOADED = 'loaded';
const END = 'end';

/**
 * Threads of the pool that one command after the other uses: starting one takes longer than most commands of tests keep it busy.
 *
 * A thread has the environment of the command that started it, so it is kept for commands with the same one. It is kept only
 * when it has answered every call; otherwise it ends as it does for users.
 */
export class KeptThreads {
  readonly #idle: Worker[] = [];
  /** What the threads were started with. */
  #environment = '';

  /** Takes the place of `Worker`. */
  install(): void {
    const keep = this.#start.bind(this);
    threads.Worker = new Proxy(RealWorker, {
      construct: (_target, [program, options]) => keep(program as string | URL, options as WorkerOptions),
    });
    syncBuiltinESMExports();
  }

  /** Gives `Worker` its place back. */
  async remove(): Promise<void> {
    threads.Worker = RealWorker;
    syncBuiltinESMExports();
    await this.end();
  }

  /** The number of threads that wait for another command. */
  get size(): number {
    return this.#idle.length;
  }

  /** Called before a command. Returns the end of threads that it would have started with another environment. */
  begin(environment: Readonly<Record<string, string>>): Promise<void> | undefined {
    const described = JSON.stringify(environment, Object.keys(environment).toSorted());
    if (described === this.#environment) return undefined;
    this.#environment = described;
    return this.#idle.length > 0 ? this.end() : undefined;
  }

  async end(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()));
  }

  #start(program: string | URL, options: WorkerOptions): Worker {
    if (!(program instanceof URL) || !POOLED.test(program.pathname)) return new RealWorker(program, options);
    const idle = this.#idle.pop();
    if (!idle) return this.#keepable(new RealWorker(program, options));
    idle.ref();
    queueMicrotask(() => idle.emit('message', LOADED));
    return idle;
  }

  #keepable(thread: Worker): Worker {
    const post = thread.postMessage.bind(thread);
    let unanswered = 0;
    thread.prependListener('message', (message) => {
      if (isOf(['value', 'error'], message)) unanswered -= 1;
    });
    const own = new Set(thread.listeners('message'));
    thread.postMessage = (message: unknown, ...transfer) => {
      if (message !== END || unanswered > 0) {
        if (isOf(['call'], message)) unanswered += 1;
        post(message, ...(transfer as []));
        return;
      }
      setImmediate(() => {
        thread.emit('exit', 0);
        for (const listener of thread.listeners('message')) {
          if (!own.has(listener)) thread.off('message', listener as () => void);
        }
        thread.removeAllListeners('exit').removeAllListeners('error');
        thread.unref();
        this.#idle.push(thread);
        // One that ends meanwhile takes no more tasks.
        thread.once('exit', () => {
          const index = this.#idle.indexOf(thread);
          if (index >= 0) this.#idle.splice(index, 1);
        });
      });
    };
    return thread;
  }
}

function isOf(kinds: readonly string[], message: unknown): boolean {
  const { kind } = (message ?? {}) as { readonly kind?: string };
  return kind !== undefined && kinds.includes(kind);
}
