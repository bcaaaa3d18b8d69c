import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { workerPort } from '../../../base/calls/thread-port.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { failureOf } from '../../../base/errors/failure.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { Timers } from '../../schedule/ports.ts';
import type { DestinationWatches } from '../destination/destination-watches.ts';
import type { HomeSettings } from '../home-settings.ts';
import { reportUnexpected } from '../report-error.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { FillCalls, FillThreadSetup } from './fill-calls.ts';
import { HOUR } from '../../../model/units.ts';

const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 12 };

/** After a start or a run, which both have more urgent work. */
const SOON_MS = 20_000;
/** Other computers and policies change the restore points of a destination. */
const AGAIN_MS = 6 * HOUR;
/** After a destination could not be asked. */
const RETRY_MS = HOUR;

export interface HistoryFillParts extends Pick<AgentParts, 'home' | 'environment'> {
  readonly timers: Timers;
  readonly settings: Pick<HomeSettings, 'loadIfIntact'>;
  readonly runs: Pick<RunQueue, 'busySet' | 'subscribe'>;
  readonly destination: Pick<DestinationWatches, 'onFound'>;
  /** Fills the history in a thread. By default with `fill-thread.ts`. */
  readonly fill?: (signal: AbortSignal) => Promise<boolean>;
}

/** Fills the history in the background, between runs. What was added stays, so that it may be stopped at any time. */
export class HistoryFill {
  readonly #parts: HistoryFillParts;
  #cancel: (() => void) | undefined;
  #active: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  #isClosed = false;

  constructor(parts: HistoryFillParts) {
    this.#parts = parts;
    parts.runs.subscribe({ prepare: () => this.stop(), ended: () => this.wake() });
    // What could not be read while it was away is read soon, not in an hour.
    parts.destination.onFound(() => this.wake());
  }

  /** Fills soon, for example after a run. */
  wake(): void {
    this.#schedule(SOON_MS);
  }

  /** Fills now, unless it does already, or may not. */
  begin(): void {
    this.#cancel?.();
    if (this.#isClosed || this.#active || !this.#mayFill()) return;
    const stop = new AbortController();
    const ended = this.#fill(stop.signal).finally(() => {
      this.#active = undefined;
    });
    this.#active = { stop, ended };
  }

  /** Resolves when nothing is being filled any more. A run that begins waits for it. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#active?.stop.abort();
    await this.#active?.ended;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  /** Returns whether there is a set, and no run is active. */
  #mayFill(): boolean {
    const { runs, settings } = this.#parts;
    return runs.busySet === undefined && (settings.loadIfIntact()?.sets.length ?? 0) > 0;
  }

  async #fill(signal: AbortSignal): Promise<void> {
    const { fill = (ended: AbortSignal) => this.#fillInThread(ended) } = this.#parts;
    try {
      this.#schedule((await fill(signal)) ? AGAIN_MS : RETRY_MS);
    } catch (error) {
      if (signal.aborted) return;
      if (!failureOf(error)) reportUnexpected(error);
      this.#schedule(RETRY_MS);
    }
  }

  #fillInThread(signal: AbortSignal): Promise<boolean> {
    const { home, environment } = this.#parts;
    const setup: FillThreadSetup = { home: home.folder, environment: { ...environment } };
    const worker = new Worker(new URL('./fill-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: MEMORY,
    });
    const port = workerPort(worker, () => new HoldfastError('interrupted', {}));
    const client = new CallClient<FillCalls>(port);
    const filled = client.call('fill', undefined, { signal });
    // Adding a restore point of a million files takes half a minute, for which no run waits: nothing of it is stored then.
    signal.addEventListener('abort', () => void port.end(), { once: true });
    return filled;
  }

  #schedule(milliseconds: number): void {
    this.#cancel?.();
    if (this.#isClosed) return;
    this.#cancel = this.#parts.timers.after(milliseconds, () => this.begin());
  }
}
