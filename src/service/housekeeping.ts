import { AUDIT_MEMORY } from './auth/audit.ts';
import { SESSION_LIFETIME, expireSessions, sweepSessions } from './backup/session-end.ts';
import { noteUses } from './billing/note-uses.ts';
import type { ServiceContext } from './context.ts';
import { performErasures } from './erasure/perform-erasures.ts';
import { keepRetention } from './retention/keep-retention.ts';
import { findAllLost } from './restore/find-lost.ts';
import { reportOfflineDevices } from './devices/offline.ts';

const INTERVAL = 3_600_000;

/** Longer sessions are not evaluated. */
const CHANGES_KEPT = 7 * SESSION_LIFETIME;

/** Periodic work: ends overdue sessions, deletes remains of ended ones, and drops expired data. */
export class Housekeeping {
  readonly #context: ServiceContext;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Runs now, and then every hour. */
  start(): void {
    this.#timer ??= setInterval(() => this.wake(), INTERVAL).unref();
    this.wake();
  }

  /** Runs soon in the background; does nothing before `start` and after `stop`. */
  wake(): void {
    if (!this.#timer || this.#stop.signal.aborted) return;
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Resolves when all current work is done or has failed. */
  async tidy(): Promise<void> {
    this.wake();
    await this.#running;
  }

  /** Resolves when no work is in progress. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { metadata, clock, log } = this.#context;
    try {
      while (this.#again && !this.#stop.signal.aborted) {
        this.#again = false;
        // The response to the request that triggered this comes first.
        await new Promise(setImmediate);
        await expireSessions(this.#context);
        await sweepSessions(this.#context, this.#stop.signal);
        await metadata.tokens.prune(clock.now());
        await metadata.passwordResets.prune(clock.now());
        await findAllLost(this.#context, this.#stop.signal);
        await metadata.restores.prune(clock.now());
        await performErasures(this.#context, this.#stop.signal);
        await keepRetention(this.#context, this.#stop.signal);
        await metadata.audit.prune(clock.now() - AUDIT_MEMORY);
        await reportOfflineDevices(this.#context);
        await noteUses(this.#context);
        await metadata.alarms.pruneChanges(clock.now() - CHANGES_KEPT);
      }
    } catch (error) {
      log.error({ name: error instanceof Error ? error.name : typeof error }, 'housekeeping failed');
    } finally {
      this.#running = undefined;
    }
  }
}
