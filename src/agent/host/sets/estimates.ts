import { Worker } from 'node:worker_threads';
import type { Estimate } from '../../../ipc/contract/sets.ts';
import type { EstimateRequest } from './estimate-walk.ts';

/** Nobody who still wants to know waits longer before asking again. */
const IDLE_MS = 60_000;
/** Countings at a time: a person looks at one, and may have left another a moment ago. */
const AT_ONCE = 3;

const LIMITS = { maxYoungGenerationSizeMb: 16 };

interface Counting {
  readonly request: string;
  readonly worker: Worker;
  latest: Estimate;
  /** What ended the thread before it was done. */
  error: Error | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** Countings of what sets would hold, each in a thread of its own: folders of any size hold nobody up. */
export class Estimates {
  readonly #countings = new Map<string, Counting>();

  /** Begins to count, or tells how far that is. Another request under the same name begins anew. */
  ask(name: string, request: EstimateRequest): Estimate {
    const known = this.#countings.get(name);
    const text = JSON.stringify(request);
    if (known?.request !== text) this.stop(name);
    const counting = known?.request === text ? known : this.#begin(name, request, text);
    clearTimeout(counting.idle);
    counting.idle = setTimeout(() => this.stop(name), IDLE_MS).unref();
    if (counting.error === undefined) return counting.latest;
    this.stop(name);
    throw counting.error;
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
    const worker = new Worker(new URL('./estimate-thread.ts', import.meta.url), {
      workerData: request,
      resourceLimits: LIMITS,
    });
    worker.unref();
    const counting: Counting = {
      request: text,
      worker,
      latest: nothingYet(request),
      error: undefined,
      idle: undefined,
    };
    worker.on('message', (estimate: Estimate) => (counting.latest = estimate));
    worker.on('error', (error: Error) => (counting.error = error));
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
