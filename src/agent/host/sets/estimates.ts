import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { workerPort, type WorkerPort } from '../../../base/calls/thread-port.ts';
import type { Estimate } from '../../../ipc/contract/sets.ts';
import type { EstimateCalls, EstimateEvents } from './estimate-calls.ts';
import type { EstimateRequest } from './estimate-walk.ts';
import { MINUTE } from '../../../model/units.ts';

/** An estimate that is not polled for this time is stopped. */
const IDLE_MS = MINUTE;
/** Estimates that are kept; those polled last stay. */
const MOST = 64;

const LIMITS = { maxYoungGenerationSizeMb: 16 };

interface Counting {
  readonly id: number;
  readonly request: string;
  readonly stop: AbortController;
  latest: Estimate;
  /** The error that ended the count early. */
  error: { readonly reason: unknown } | undefined;
  idle: NodeJS.Timeout | undefined;
}

interface Thread {
  readonly port: WorkerPort;
  readonly client: CallClient<EstimateCalls, EstimateEvents>;
}

/** Estimates the content of sets in one thread, which lives while there are estimates. */
export class Estimates {
  readonly #countings = new Map<string, Counting>();
  #thread: Thread | undefined;
  #nextId = 1;

  /** Starts an estimate, or returns its current figures. Another request with the same name starts anew. */
  ask(name: string, request: EstimateRequest): Estimate {
    const known = this.#countings.get(name);
    const text = JSON.stringify(request);
    if (known && known.request !== text) this.#forget(name, known);
    const counting = known?.request === text ? known : this.#begin(request, text);
    // The map is in the order of the last polls.
    this.#countings.delete(name);
    this.#countings.set(name, counting);
    this.#forgetOldest();
    clearTimeout(counting.idle);
    counting.idle = setTimeout(() => this.stop(name), IDLE_MS).unref();
    if (counting.error === undefined) return counting.latest;
    this.stop(name);
    throw counting.error.reason;
  }

  stop(name: string): void {
    const counting = this.#countings.get(name);
    if (!counting) return;
    this.#forget(name, counting);
    if (this.#countings.size > 0 || !this.#thread) return;
    void this.#thread.port.end();
    this.#thread = undefined;
  }

  #forget(name: string, { stop, idle }: Counting): void {
    clearTimeout(idle);
    this.#countings.delete(name);
    stop.abort();
  }

  #forgetOldest(): void {
    const [oldest] = this.#countings.keys();
    if (this.#countings.size > MOST && oldest !== undefined) this.stop(oldest);
  }

  #begin(request: EstimateRequest, text: string): Counting {
    const id = this.#nextId;
    this.#nextId += 1;
    const stop = new AbortController();
    const counting: Counting = {
      id,
      request: text,
      stop,
      latest: nothingYet(request),
      error: undefined,
      idle: undefined,
    };
    this.#client()
      .call('count', { id, request }, { signal: stop.signal })
      .then(
        (estimate) => (counting.latest = estimate),
        (error: unknown) => (counting.error = { reason: error }),
      );
    return counting;
  }

  #client(): Thread['client'] {
    if (this.#thread && !this.#thread.client.hasEnded) return this.#thread.client;
    const worker = new Worker(new URL('./estimate-thread.ts', import.meta.url), { resourceLimits: LIMITS });
    const port = workerPort(worker, (code) => new Error(`the thread of estimates ended with code ${code}`));
    const client = new CallClient<EstimateCalls, EstimateEvents>(port, {
      listeners: { progress: ({ id, estimate }) => this.#take(id, estimate) },
    });
    // Listening to the worker has it referenced again.
    worker.unref();
    this.#thread = { port, client };
    return client;
  }

  #take(id: number, estimate: Estimate): void {
    for (const counting of this.#countings.values()) if (counting.id === id) counting.latest = estimate;
  }
}

function nothingYet({ excludes, presets }: EstimateRequest): Estimate {
  const rules = [...excludes, ...presets.map((preset) => `preset:${preset}`)];
  return {
    done: false,
    files: 0,
    bytes: 0,
    rules: [...new Set(rules)].map((rule) => ({ rule, files: 0, bytes: 0, examples: [] })),
    unreadable: [],
  };
}
