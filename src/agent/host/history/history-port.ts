import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { workerPort } from '../../../base/calls/thread-port.ts';
import type { Home } from '../../home/home.ts';
import type { HistoryCalls } from './history-calls.ts';
import { MINUTE } from '../../../model/units.ts';

const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** The thread ends after this time without a question. */
const IDLE_MS = 10 * MINUTE;

/** Asks the history in a thread, which starts with the first question and ends after the last. */
export class HistoryPort {
  readonly #home: Home;
  #client: CallClient<HistoryCalls> | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(home: Home) {
    this.#home = home;
  }

  get calls(): CallClient<HistoryCalls> {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    if (!this.#client || this.#client.hasEnded) this.#client = this.#start();
    return this.#client;
  }

  close(): void {
    clearTimeout(this.#idle);
    // The thread may have ended already.
    this.#client?.call('close', undefined).catch(() => undefined);
    this.#client = undefined;
  }

  #start(): CallClient<HistoryCalls> {
    const worker = new Worker(new URL('./history-thread.ts', import.meta.url), {
      workerData: { home: this.#home.folder },
      resourceLimits: MEMORY,
    });
    worker.unref();
    return new CallClient(workerPort(worker, () => new HoldfastError('interrupted', {})));
  }
}
