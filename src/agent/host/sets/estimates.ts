import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { workerPort } from '../../../base/calls/thread-port.ts';
import type { Estimate } from '../../../ipc/contract/sets.ts';
import type { EstimateRequest } from './estimate-walk.ts';

/** The call of an estimate's thread, which ends after it. */
export interface EstimateCalls {
  count(request: EstimateRequest): Estimate;
}

export interface EstimateEvents {
  readonly progress: Estimate;
}

/** An estimate that is not polled for this time is stopped. */
const IDLE_MS = 60_000;
/** Estimates at a time: the current one, and some that were just left. */
const AT_ONCE = 3;

const LIMITS = { maxYoungGenerationSizeMb: 16 };

interface Counting {
  readonly request: string;
  readonly worker: Worker;
  latest: Estimate;
  /** The error that ended the thread early. */
  error: { readonly reason: unknown } | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** Estimates the content of sets, each in its own thread. */
export class Estimates {
  readonly #countings = new Map<string, Counting>();

  /** Starts an estimate, or returns its current figures. Another request with the same name starts anew. */
  ask(name: string, request: EstimateRequest): Estimate {
    const known = this.#countings.get(name);
    const text = JSON.stringify(request);
    if (known?.request !== text) this.stop(name);
    const counting = known?.request === text ? known : this.#begin(name, request, text);
    clearTimeout(counting.idle);
    counting.idle = setTimeout(() => this.stop(name), IDLE_MS).unref();
    if (counting.error === undefined) return counting.latest;
    this.stop(name);
    throw counting.error.reason;
  }

  stop(name: string): void {
    const counting = this.#countings.get(name);
    if (!counting) return;
    clearTimeout(counting.idle);
    this.#countings.delete(name);
    void counting.worker.terminate();
  }

  #begin(name: string, request: EstimateRequest, text: string): Counting {
    const [oldest] = this.#countings.keys();
    if (this.#countings.size >= AT_ONCE && oldest !== undefined) this.stop(oldest);
    const worker = new Worker(new URL('./estimate-thread.ts', import.meta.url), { resourceLimits: LIMITS });
    const counting: Counting = {
      request: text,
      worker,
      latest: nothingYet(request),
      error: undefined,
      idle: undefined,
    };
    const port = workerPort(worker, (code) => new Error(`the thread of an estimate ended with code ${code}`));
    const client = new CallClient<EstimateCalls, EstimateEvents>(port, {
      listeners: { progress: (estimate) => (counting.latest = estimate) },
    });
    client.call('count', request).then(
      (estimate) => (counting.latest = estimate),
      (error: unknown) => (counting.error = { reason: error }),
    );
    // Listening to the worker has it referenced again.
    worker.unref();
    this.#countings.set(name, counting);
    return counting;
  }
}

function nothingYet({ excludes, presets }: EstimateRequest): Estimate {
  const rules = [...excludes, ...presets.map((preset) => `preset:${preset}`)];
  return {
    done: false,
    files: 0,
    bytes: 0,
    rules: [...new Set(rules)].map((rule) => ({ rule, entries: 0, bytes: 0, examples: [] })),
    unreadable: [],
  };
}
