import { setImmediate as nextTurn } from 'node:timers/promises';
import { isHoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { isCatalogDamage } from '../../catalog/damage.ts';
import { replaceCatalog } from '../../catalog/database.ts';
import { keyIdOf } from '../../format/crypto/keys.ts';
import { makePrivateFolderSync } from '../../os/filesystem/make-folder.ts';
import type { TransferLimits } from '../../remote/http/rate-limited-http.ts';
import {
  INTERACTIVE_RETRY_POLICY,
  RUN_RETRY_POLICY,
  withLongestWait,
  type RetryPolicy,
} from '../../remote/http/retrier.ts';
import { keysOf } from '../destination/keys/keys-of.ts';
import { openAccess } from '../destination/open-access.ts';
import type { ServiceAccess } from '../destination/service-access.ts';
import { HomeLock } from '../home/home-lock.ts';
import { requireSettings, type Settings } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import type { AgentParts } from './agent-parts.ts';
import type { OperationContext } from './operation-context.ts';
import type { WaitingRelay } from './waiting-relay.ts';
import { watchDoubt } from './watch-doubt.ts';
import { WatchedPoints } from './watched-points.ts';
import { watchPoints } from './watch-points.ts';

export interface ContextOptions {
  /** The name of a run. It takes the home's lock and is patient with the service. A query has none. */
  readonly job?: string;
  /** True for a query that is part of a run: it is patient with the service, too. */
  readonly isPatient?: boolean;
  /** Receives the reason for which transfers wait. */
  readonly waiting?: Pick<WaitingRelay, 'update'>;
  readonly limits?: TransferLimits;
  /** True for a backup, which has warnings of its own about what the destination lacks. */
  readonly isBackup?: boolean;
}

/**
 * Opens the context of an operation, does the work and closes everything again. A query uses the shared context if there
 * is one. A catalog that turns out to be damaged is made anew before the error is thrown.
 *
 * @throws what `openContext` and `work` throw
 */
export async function withContext<Result>(
  parts: AgentParts,
  options: ContextOptions,
  work: (context: OperationContext) => Promise<Result>,
): Promise<Result> {
  const explained = async (context: OperationContext): Promise<Result> => {
    try {
      return await work(context);
    } catch (error) {
      throw context.access.explain(error);
    }
  };
  const attempt = (): Promise<Result> =>
    mendingCatalog(parts, async () => {
      if (parts.queries && options.job === undefined) return await parts.queries.use(parts.destination, explained);
      await using context = await openContext(parts, options);
      return await explained(context);
    });
  try {
    return await attempt();
  } catch (error) {
    if (!isOfLaterKey(error) || !(await hasTakenKey(parts))) throw error;
    return await attempt();
  }
}

/** Returns whether something is sealed with a key that this computer does not have. */
function isOfLaterKey(error: unknown): boolean {
  return isHoldfastError(error, 'chunk_tampered') && error.details.problem === 'epoch';
}

/** Takes over the key of a service, which a backup there has been the first to find until now. Returns whether it is another one. */
async function hasTakenKey(parts: AgentParts): Promise<boolean> {
  await using context = await openContext(parts, {});
  if (context.access.repository) return false;
  const { takeServiceKeys } = await import('../destination/keys/service-keys.ts');
  const { secrets } = await takeServiceKeys(context, parts);
  return keyIdOf(secrets.masterKey) !== context.keys.id;
}

/** Does work that opens and closes the catalog. If that turns out to be damaged, it is made anew before the error is thrown. */
export async function mendingCatalog<Result>(parts: AgentParts, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isCatalogDamage(error)) makeCatalogAnew(parts);
    throw error;
  }
}

/** Does nothing while another process uses the home: it meets the damage itself. */
function makeCatalogAnew(parts: AgentParts): void {
  try {
    using _lock = lockHome(parts, 'a new index');
    replaceCatalog(parts.home.catalogFile);
  } catch (error) {
    if (!isHoldfastError(error, 'home_busy')) throw error;
  }
}

/** @throws HoldfastError `not_set_up`, `home_busy`, `home_damaged`, `home_unwritable`, `destination_*` */
export async function openContext(
  parts: AgentParts,
  options: ContextOptions,
): Promise<OperationContext & AsyncDisposable> {
  const { home } = parts;
  const settings = requireSettings(home, parts.destination);
  await using resources = new AsyncDisposableStack();
  const isPatient = options.job !== undefined || options.isPatient === true;
  const lock = options.job === undefined ? undefined : resources.use(lockHome(parts, options.job));
  const secrets = await requireSecrets(parts.keyStore.at(settings.credentials), settings);
  const opening = openDestination(parts, settings, secrets, { ...options, isPatient });
  resources.defer(() =>
    opening.then(
      (opened) => opened[Symbol.asyncDispose](),
      () => undefined,
    ),
  );
  // The destination is read while the catalog is opened here.
  opening.catch(() => undefined);
  await nextTurn();
  const catalog = resources.use(lock ? lock.openCatalog() : new Catalog(home.catalogFile));
  const access = await opening;
  const opened = resources.move();
  const context = {
    settings,
    secrets: access.secrets,
    keys: keysOf(access.secrets, access.settled),
    catalog: catalog.at(settings.id),
    access,
    watched: new WatchedPoints(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  if (options.isBackup === true) return context;
  watchDoubt(parts, context);
  watchPoints(parts, context);
  return context;
}

/** A home that is locked for a run. */
export interface LockedHome extends Disposable {
  /** Opens the catalog, and marks the jobs as interrupted that are still marked as active: no other process runs them. */
  openCatalog(): Catalog;
}

/** @param job the name of the run. @throws HoldfastError `home_busy`, `home_unwritable` */
export function lockHome({ home, clock }: AgentParts, job: string): LockedHome {
  const lock = HomeLock.acquire(home, job, clock.now());
  makePrivateFolderSync(home.scratchFolder);
  return {
    openCatalog: () => {
      const catalog = new Catalog(home.catalogFile);
      catalog.journal.markInterrupted(clock.now());
      return catalog;
    },
    [Symbol.dispose]: () => lock.release(),
  };
}

/** Opens the access to a destination. @throws HoldfastError `home_damaged`, `usage`, `destination_*` */
export function openDestination(
  { home, keyStore, clock, environment, onSkew }: AgentParts,
  settings: Settings,
  secrets: Secrets,
  { isPatient = false, waiting, limits }: Omit<ContextOptions, 'job'>,
): Promise<ServiceAccess> {
  const maxWaitMs = isPatient ? longestWaitIn(environment) : undefined;
  return openAccess({
    home,
    settings,
    secrets,
    // A context that outlives a change of the destination must not store renewed tokens among the new one's secrets.
    keyStore: keyStore.at(settings.credentials),
    clock,
    environment,
    policy: isPatient ? patientPolicy(maxWaitMs) : INTERACTIVE_RETRY_POLICY,
    storeMaxWaitMs: maxWaitMs,
    onWaiting: (reason) => waiting?.update(reason),
    onStoreWaiting: (reason) => waiting?.update(reason),
    ...(onSkew ? { onSkew } : {}),
    ...(limits ? { limits } : {}),
  });
}

function patientPolicy(maxWaitMs: number | undefined): RetryPolicy {
  return maxWaitMs === undefined ? RUN_RETRY_POLICY : withLongestWait(RUN_RETRY_POLICY, maxWaitMs);
}

/** Reads `HOLDFAST_MAX_WAIT`: for how many seconds a run waits for an unreachable destination. Returns milliseconds. */
function longestWaitIn(environment: NodeJS.ProcessEnv): number | undefined {
  const text = environment['HOLDFAST_MAX_WAIT'];
  if (text === undefined || text === '') return undefined;
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw wrongUsage({
      problem: 'environment',
      message: `HOLDFAST_MAX_WAIT is "${text}", which is not a number of seconds.`,
    });
  }
  return seconds * 1000;
}
