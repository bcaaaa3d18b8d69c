import type { Device } from '../protocol/devices.ts';
import type { RestorePoint } from '../protocol/extensions.ts';
import type { RetentionAnswer } from '../protocol/retention.ts';
import type { BackupReport } from '../engine/backup/types.ts';
import type { Clock } from '../base/clock.ts';
import type { BackupProgress, RestoreProgress, RunOptions } from '../engine/job/progress.ts';
import type { PriorityChoice } from '../engine/power/priority-decision.ts';
import type { ConflictChoice, ListedEntry, RestoreReport, VerifyReport } from '../engine/restore/types.ts';
import type { TransferLimits } from '../engine/transfer/http/rate-limited-http.ts';
import type { Home } from './home/home.ts';
import { loadSettings, type ConfiguredSet, type Settings } from './home/settings.ts';
import type { KeyStore } from './key-store/key-store.ts';
import type { RetentionChoice } from './operations/retention.ts';
import type { SharedSession } from './context/shared-context.ts';
import type { WatchObserver, WatchOptions } from './operations/watch.ts';
import type { SetupReport, SetupRequest } from './operations/setup.ts';
import type { NewSet } from './sets/new-set.ts';
import { addSet, removeSet, requireSet, requireSettings, type AddedSet } from './sets/set-store.ts';
import type { AgentStatus } from './operations/status.ts';

/** What an agent is made of; concrete ones are chosen in open-agent.ts. */
export interface AgentParts {
  readonly home: Home;
  readonly keyStore: KeyStore;
  readonly clock: Clock;
  /** For proxies and time limits. */
  readonly environment: NodeJS.ProcessEnv;
  /** Told when the service's clock is off from ours by more than 30 s; milliseconds, positive where it is ahead. */
  readonly onSkew?: (skewMs: number) => void;
  /** What questions are asked in; without it, each opens the destination for itself. */
  readonly questions?: SharedSession;
}

/** Which restore points are meant: a set by its name, of this device unless another is named. */
export interface SetReference {
  readonly set: string;
  readonly device?: string;
}

export interface BackupOptions extends TransferLimits {
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
  readonly allowEmpty?: boolean;
  /** `auto` unless it is said. */
  readonly priority?: PriorityChoice;
  /** Whether a person waits at a terminal for this very run. */
  readonly attended?: boolean;
  /** Whether the process does nothing after the run, so that none of it has to be raised again. */
  readonly endsWithRun?: boolean;
  /** Entry paths of folders in which something is known to have changed: the run looks there before elsewhere. */
  readonly first?: readonly string[];
}

export interface ListOptions extends SetReference {
  readonly at: number | 'latest';
  /** As a person gives it; see given-path.ts. */
  readonly path: string;
  readonly recursive: boolean;
}

export interface RestoreOptions extends SetReference, TransferLimits {
  readonly at: number | 'latest';
  readonly paths: readonly string[];
  /** Stay out of what `paths` name, with everything below. */
  readonly without?: readonly string[];
  /** Absolute, or relative to the working directory. */
  readonly to: string;
  readonly conflict?: ConflictChoice;
  readonly dryRun?: boolean;
}

export interface VerifyOptions extends SetReference, TransferLimits {
  readonly at: number | 'latest';
  readonly samplePercent: number;
}

/**
 * Everything that a person or a script can ask for, for the command line and the window alike. Whatever takes part in a
 * run is loaded with the first call that needs it. Every method may throw HoldfastError `not_set_up`, `home_damaged` and
 * what the service throws; the ones that work on the home also `home_busy`.
 */
export class Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** Chooses the destination and makes or adopts the master key. Nothing is saved when anything fails. */
  async setup(request: SetupRequest, signal?: AbortSignal): Promise<SetupReport> {
    const { setup } = await import('./operations/setup.ts');
    return setup(request, this.#parts, signal);
  }

  /** Nothing where this home was never set up. */
  settings(): Settings | undefined {
    return loadSettings(this.#parts.home);
  }

  sets(): readonly ConfiguredSet[] {
    return requireSettings(this.#parts.home).sets;
  }

  /** @throws HoldfastError `set_unknown` */
  set(name: string): ConfiguredSet {
    return requireSet(requireSettings(this.#parts.home), name);
  }

  /** @throws HoldfastError `set_exists`, `usage`, `source_missing`, `source_unreadable` */
  addSet(request: NewSet): AddedSet {
    return addSet(this.#parts.home, request);
  }

  /** Forgets a set; its restore points stay at the service. @throws HoldfastError `set_unknown` */
  removeSet(name: string): ConfiguredSet {
    return removeSet(this.#parts.home, name);
  }

  async backup(name: string, options: BackupOptions, run: RunOptions<BackupProgress>): Promise<BackupReport> {
    const { backUp } = await import('./operations/backup.ts');
    return backUp(this.#parts, name, options, run);
  }

  /** Backs a set up now and whenever something has changed in it, until the signal is aborted. */
  async watch(name: string, options: WatchOptions, observer: WatchObserver, signal: AbortSignal): Promise<void> {
    const { watchSet } = await import('./operations/watch.ts');
    return watchSet(this.#parts, name, options, observer, signal);
  }

  /** Newest first. @throws HoldfastError `set_unknown` */
  async points(reference: SetReference, signal?: AbortSignal): Promise<readonly RestorePoint[]> {
    const { points } = await import('./operations/list.ts');
    return points(this.#parts, reference, signal);
  }

  /** @throws HoldfastError `set_unknown`, `no_restore_point`, `retention_refused`, `permission_denied` */
  async retention(reference: SetReference, choice: RetentionChoice, signal?: AbortSignal): Promise<RetentionAnswer> {
    const { requestRetention } = await import('./operations/retention.ts');
    return requestRetention(this.#parts, reference, choice, signal);
  }

  /** What a folder held, in batches. */
  async *list(options: ListOptions, signal?: AbortSignal): AsyncGenerator<readonly ListedEntry[]> {
    const { list } = await import('./operations/list.ts');
    yield* list(this.#parts, options, signal);
  }

  async restore(options: RestoreOptions, run: RunOptions<RestoreProgress>): Promise<RestoreReport> {
    const { restore } = await import('./operations/restore.ts');
    return restore(this.#parts, options, run);
  }

  async verify(options: VerifyOptions, run: RunOptions<RestoreProgress>): Promise<VerifyReport> {
    const { verify } = await import('./operations/restore.ts');
    return verify(this.#parts, options, run);
  }

  async devices(signal?: AbortSignal): Promise<readonly Device[]> {
    const { devices } = await import('./operations/list.ts');
    return devices(this.#parts, signal);
  }

  async status(): Promise<AgentStatus> {
    const { statusOf } = await import('./operations/status.ts');
    return statusOf(this.#parts);
  }

  /** The recovery phrase of this home's master key. */
  async recoveryPhrase(): Promise<string> {
    const [{ secretsOf }, { phraseOf }] = await Promise.all([
      import('./destination/service-access.ts'),
      import('../engine/crypto/recovery-phrase.ts'),
    ]);
    const settings = requireSettings(this.#parts.home);
    return phraseOf((await secretsOf(this.#parts.keyStore, settings)).masterKey);
  }
}
