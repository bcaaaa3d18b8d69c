import { setImmediate as nextTurn } from 'node:timers/promises';
import { Catalog } from '../../engine/catalog/catalog.ts';
import { deriveKeys, type Keys } from '../../engine/crypto/keys.ts';
import { HoldfastError } from '../../base/errors.ts';
import { makeFolderSync } from '../../engine/filesystem/make-folder.ts';
import type { Progress, RunOptions } from '../../engine/job/progress.ts';
import type { TransferLimits } from '../../engine/transfer/http/rate-limited-http.ts';
import { INTERACTIVE_RETRY_POLICY, RUN_RETRY_POLICY, type RetryPolicy } from '../../engine/transfer/http/retrier.ts';
import type { AgentParts } from '../agent.ts';
import { openAccess, secretsOf, type ServiceAccess } from '../destination/service-access.ts';
import { HomeLock } from '../home/home-lock.ts';
import type { Settings } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';
import { requireSettings } from '../sets/set-store.ts';

/** What one command works with; closed at its end. */
export interface Session {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly keys: Keys;
  readonly catalog: Catalog;
  readonly access: ServiceAccess;
}

export interface SessionOptions {
  /** Works on the home: takes its lock under this name, and is patient with the service. */
  readonly job?: string;
  /** Where a run hears why nothing moves. */
  readonly waiting?: WaitingRelay;
  readonly limits?: TransferLimits;
}

/**
 * Opens what a command needs, runs it and closes everything again, whatever happens. A question is asked in the session that
 * is open for questions, where there is one.
 *
 * @throws what `openSession` throws
 */
export async function withSession<T>(
  parts: AgentParts,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const explained = async (session: Session): Promise<T> => {
    try {
      return await work(session);
    } catch (error) {
      throw session.access.explain(error);
    }
  };
  if (parts.questions && options.job === undefined) return parts.questions.use(explained);
  await using session = await openSession(parts, options);
  return await explained(session);
}

/** @throws HoldfastError `not_set_up`, `home_busy`, `home_damaged`, `home_unwritable`, `destination_*` */
export async function openSession(parts: AgentParts, options: SessionOptions): Promise<Session & AsyncDisposable> {
  const { home, clock, environment, onSkew } = parts;
  const settings = requireSettings(home);
  // A session that outlives a change of the destination must not keep what it renews among the secrets of the new one.
  const keyStore = parts.keyStore.at(settings.credentials);
  await using resources = new AsyncDisposableStack();
  if (options.job !== undefined) {
    resources.use(HomeLock.acquire(home, options.job, clock.now()));
    makeFolderSync(home.scratchFolder, 0o700);
  }
  const secrets = await secretsOf(keyStore, settings);
  const opening = openAccess(settings, secrets, keyStore, {
    home,
    clock,
    environment,
    policy: options.job === undefined ? INTERACTIVE_RETRY_POLICY : patientPolicy(environment),
    onWaiting: (reason) => options.waiting?.update(reason),
    ...(onSkew ? { onSkew } : {}),
    ...(options.limits ? { limits: options.limits } : {}),
  });
  resources.defer(() =>
    opening.then(
      (opened) => opened[Symbol.asyncDispose](),
      () => undefined,
    ),
  );
  // The service inside this program starts in a thread of its own, and meanwhile there is the catalog to open.
  opening.catch(() => undefined);
  await nextTurn();
  const catalog = resources.use(new Catalog(home.catalogFile));
  // Whoever holds the lock knows that no other process works on what still stands as active.
  if (options.job !== undefined) catalog.journal.markInterrupted(clock.now());
  const access = await opening;
  const opened = resources.move();
  return {
    settings,
    secrets,
    keys: deriveKeys(secrets.masterKey),
    catalog,
    access,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** `HOLDFAST_MAX_WAIT` (seconds) says how long a run waits for a service that cannot be reached. */
function patientPolicy(environment: NodeJS.ProcessEnv): RetryPolicy {
  const text = environment['HOLDFAST_MAX_WAIT'];
  if (text === undefined || text === '') return RUN_RETRY_POLICY;
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new HoldfastError('usage', { message: `HOLDFAST_MAX_WAIT is "${text}", which is no number of seconds.` });
  }
  return { ...RUN_RETRY_POLICY, maxWaitMs: seconds * 1000 };
}

/** Puts "waiting for the service" into a run's progress, where the run itself cannot know it. */
export class WaitingRelay {
  #reason: string | undefined;
  #repeat: (() => void) | undefined;

  update(reason: string | undefined): void {
    this.#reason = reason;
    this.#repeat?.();
  }

  /**
   * The options of a run, with its progress passing through here.
   *
   * @param first what is told of a run that waits before it has anything to tell itself
   */
  through<Shape extends Progress>(options: RunOptions<Shape>, first: Shape): RunOptions<Shape> {
    const { onProgress } = options;
    if (!onProgress) return options;
    const show = (progress: Shape): void => {
      this.#repeat = () => show(progress);
      onProgress(this.#reason === undefined ? progress : { ...progress, waiting: this.#reason });
    };
    this.#repeat = () => show(first);
    if (this.#reason !== undefined) this.#repeat();
    return { ...options, onProgress: show };
  }
}
