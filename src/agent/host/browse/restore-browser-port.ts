import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { workerPort, type WorkerPort } from '../../../base/calls/thread-port.ts';
import type { BrowsedEntry } from '../../../ipc/contract/restore/restore.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { HistoryReference } from '../../operations/history/searched-sources.ts';
import type { RestoreSource } from '../../operations/restore/restore-sources.ts';
import type { KnownPoints } from './known-here.ts';
import type { FindInput, JumpInput, OpenInput, RowsInput, RowsOutput } from './restore-browser.ts';
import type { BrowseCalls, BrowseThreadSetup } from './restore-index-thread.ts';
import { MINUTE } from '../../../model/units.ts';

const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** The thread ends after this time without a query. */
const IDLE_MS = 10 * MINUTE;
/** The time limit of an orderly end. */
const END_MS = 5000;

/** Browses restore points in a thread, which starts with the first query and ends after the last. */
export class RestoreBrowserPort {
  readonly #setup: BrowseThreadSetup;
  #thread: BrowseThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ home, environment }: Pick<AgentParts, 'home' | 'environment'>) {
    this.#setup = { home: home.folder, environment: { ...environment } };
  }

  /** Starts the thread ahead of the first query. */
  warm(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    if (this.#thread?.client.hasEnded ?? true) this.#thread = new BrowseThread(this.#setup);
  }

  open(input: OpenInput): Promise<string> {
    return this.#client().call('open', input);
  }

  rows(input: RowsInput): Promise<RowsOutput> {
    return this.#client().call('rows', input);
  }

  jump(input: JumpInput): Promise<number | undefined> {
    return this.#client().call('jump', input);
  }

  async find(input: FindInput): Promise<BrowsedEntry[]> {
    return [...(await this.#client().call('find', input))];
  }

  /** Lists the sets at a destination that this computer knows without it. */
  knownSources(destination: string): Promise<readonly RestoreSource[]> {
    return this.#client().call('knownSources', { destination });
  }

  /** Lists the restore points of a set that this computer knows without their destination. */
  knownPoints(reference: HistoryReference): Promise<KnownPoints | undefined> {
    return this.#client().call('knownPoints', reference);
  }

  /** Ends the thread. Listings have to be opened again. */
  close(): void {
    clearTimeout(this.#idle);
    this.#thread?.end();
    this.#thread = undefined;
  }

  #client(): CallClient<BrowseCalls> {
    this.warm();
    return this.#thread!.client;
  }
}

class BrowseThread {
  readonly #worker: Worker;
  readonly #port: WorkerPort;
  readonly client: CallClient<BrowseCalls>;

  constructor(setup: BrowseThreadSetup) {
    this.#worker = new Worker(new URL('./restore-index-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: MEMORY,
    });
    this.#port = workerPort(this.#worker, listingClosed);
    this.client = new CallClient(this.#port);
    this.#worker.unref();
  }

  /** Ends the thread, after it has released the destination. */
  end(): void {
    // The thread may have ended already.
    this.client.call('close', undefined).catch(() => undefined);
    const timer = setTimeout(() => void this.#port.terminate(), END_MS).unref();
    this.#worker.once('exit', () => clearTimeout(timer));
  }
}

/** The error of calls to a thread that was closed: the caller opens the listing again. */
function listingClosed(): HoldfastError {
  return new HoldfastError('refused', { problem: 'listing-closed' });
}
