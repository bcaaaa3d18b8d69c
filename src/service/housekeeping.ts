import { AUDIT_MEMORY } from './audit/audit.ts';
import { SESSION_LIFETIME, expireSessions, sweepSessions } from './backup/session-end.ts';
import { noteUses } from './billing/note-uses.ts';
import type { ServiceContext } from './context.ts';
import { performErasures } from './erasure/perform-erasures.ts';
import { failureFacts } from './failure-facts.ts';
import type { ServiceMetrics } from './operation/service-metrics.ts';
import { keepRetention } from './retention/keep-retention.ts';
import { findAllLost } from './restore/find-lost.ts';
import { reportOfflineDevices } from './devices/offline.ts';
import { DAY, HOUR } from '../model/units.ts';

const INTERVAL = HOUR;

/** Longer sessions are not evaluated. */
const CHANGES_KEPT = 7 * SESSION_LIFETIME;

/** Milliseconds for which sessions that failed are kept. */
const FAILED_SESSIONS_KEPT = 90 * DAY;

interface Step {
  /** Names it in the log and in metrics. */
  readonly name: string;
  /** False if it deletes blobs or emits events, which a copy must not do while the original may be running. */
  readonly inCopies: boolean;
  readonly work: (context: ServiceContext, signal: AbortSignal) => Promise<unknown>;
}

const STEPS: readonly Step[] = [
  { name: 'expired_sessions', inCopies: false, work: expireSessions },
  { name: 'ended_sessions', inCopies: false, work: sweepSessions },
  {
    name: 'failed_sessions',
    inCopies: false,
    work: ({ metadata, clock }) => metadata.sessions.prune(clock.now() - FAILED_SESSIONS_KEPT),
  },
  { name: 'sign_ins', inCopies: true, work: ({ metadata, clock }) => metadata.tokens.prune(clock.now()) },
  {
    name: 'password_resets',
    inCopies: true,
    work: ({ metadata, clock }) => metadata.passwordResets.prune(clock.now()),
  },
  { name: 'passkeys', inCopies: true, work: ({ metadata, clock }) => metadata.passkeys.prune(clock.now()) },
  {
    name: 'invitations',
    inCopies: true,
    work: ({ metadata, clock }) => metadata.members.pruneInvitations(clock.now()),
  },
  { name: 'lost_blobs', inCopies: true, work: findAllLost },
  { name: 'restores', inCopies: true, work: ({ metadata, clock }) => metadata.restores.prune(clock.now()) },
  { name: 'erasures', inCopies: false, work: performErasures },
  { name: 'retention', inCopies: false, work: keepRetention },
  { name: 'audit', inCopies: true, work: ({ metadata, clock }) => metadata.audit.prune(clock.now() - AUDIT_MEMORY) },
  { name: 'offline_devices', inCopies: false, work: reportOfflineDevices },
  { name: 'uses', inCopies: false, work: noteUses },
  {
    name: 'changes',
    inCopies: true,
    work: ({ metadata, clock }) => metadata.alarms.pruneChanges(clock.now() - CHANGES_KEPT),
  },
];

/** Counts failures of steps. */
export type HousekeepingMetrics = Pick<ServiceMetrics, 'housekeepingFailed'>;

/** Periodic work: ends overdue sessions, deletes remains of ended ones, and drops expired data. */
export class Housekeeping {
  readonly #context: ServiceContext;
  readonly #metrics: HousekeepingMetrics | undefined;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(context: ServiceContext, metrics?: HousekeepingMetrics) {
    this.#context = context;
    this.#metrics = metrics;
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
    while (this.#again && !this.#stop.signal.aborted) {
      this.#again = false;
      // The response to the request that triggered this comes first.
      await new Promise(setImmediate);
      for (const step of STEPS) await this.#step(step);
    }
    this.#running = undefined;
  }

  /** A step that fails keeps none of the others from running. */
  async #step({ name, inCopies, work }: Step): Promise<void> {
    if (this.#stop.signal.aborted || (this.#context.copyState?.isMuted === true && !inCopies)) return;
    try {
      await work(this.#context, this.#stop.signal);
    } catch (error) {
      this.#context.log.error({ step: name, failure: failureFacts(error) }, 'a step of housekeeping failed');
      this.#metrics?.housekeepingFailed(name);
    }
  }
}
