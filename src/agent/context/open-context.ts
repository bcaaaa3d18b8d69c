import { setImmediate as nextTurn } from 'node:timers/promises';
import { wrongUsage } from '../../base/errors.ts';
import { Catalog } from '../../engine/catalog/catalog.ts';
import { deriveKeys } from '../../engine/crypto/keys.ts';
import { makeFolderSync } from '../../engine/filesystem/make-folder.ts';
import type { TransferLimits } from '../../engine/transfer/http/rate-limited-http.ts';
import { INTERACTIVE_RETRY_POLICY, RUN_RETRY_POLICY, type RetryPolicy } from '../../engine/transfer/http/retrier.ts';
import { openAccess } from '../destination/open-access.ts';
import { HomeLock } from '../home/home-lock.ts';
import { requireSettings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import type { AgentParts } from './agent-parts.ts';
import type { OperationContext } from './operation-context.ts';
import type { WaitingRelay } from './waiting-relay.ts';

export interface ContextOptions {
  /** The name of a run. It takes the home's lock and is patient with the service. A query has none. */
  readonly job?: string;
  /** True for a query that is part of a run: it is patient with the service, too. */
  readonly isPatient?: boolean;
  /** Receives the reason for which transfers wait. */
  readonly waiting?: Pick<WaitingRelay, 'update'>;
  readonly limits?: TransferLimits;
}

/**
 * Opens the context of an operation, does the work and closes everything again. A query uses the shared context if there
 * is one.
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
  if (parts.queries && options.job === undefined) return parts.queries.use(parts.destination, explained);
  await using context = await openContext(parts, options);
  return await explained(context);
}

/** @throws HoldfastError `not_set_up`, `home_busy`, `home_damaged`, `home_unwritable`, `destination_*` */
export async function openContext(
  parts: AgentParts,
  options: ContextOptions,
): Promise<OperationContext & AsyncDisposable> {
  const { home, clock, environment, onSkew } = parts;
  const settings = requireSettings(home, parts.destination);
  // A context that outlives a change of the destination must not store renewed tokens among the new one's secrets.
  const keyStore = parts.keyStore.at(settings.credentials);
  await using resources = new AsyncDisposableStack();
  if (options.job !== undefined) {
    resources.use(HomeLock.acquire(home, options.job, clock.now()));
    makeFolderSync(home.scratchFolder, 0o700);
  }
  const secrets = await requireSecrets(keyStore, settings);
  const opening = openAccess({
    home,
    settings,
    secrets,
    keyStore,
    clock,
    environment,
    policy:
      options.job === undefined && options.isPatient !== true ? INTERACTIVE_RETRY_POLICY : patientPolicy(environment),
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
  // The destination is read while the catalog is opened here.
  opening.catch(() => undefined);
  await nextTurn();
  const catalog = resources.use(new Catalog(home.catalogFile));
  // While this process holds the lock, no other process runs the jobs that are still marked as active.
  if (options.job !== undefined) catalog.journal.markInterrupted(clock.now());
  const access = await opening;
  const opened = resources.move();
  return {
    settings,
    secrets,
    keys: deriveKeys(secrets.masterKey),
    catalog: catalog.at(settings.id),
    access,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Reads `HOLDFAST_MAX_WAIT`: for how many seconds a run waits for an unreachable service. */
function patientPolicy(environment: NodeJS.ProcessEnv): RetryPolicy {
  const text = environment['HOLDFAST_MAX_WAIT'];
  if (text === undefined || text === '') return RUN_RETRY_POLICY;
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw wrongUsage({
      problem: 'environment',
      message: `HOLDFAST_MAX_WAIT is "${text}", which is not a number of seconds.`,
    });
  }
  return { ...RUN_RETRY_POLICY, maxWaitMs: seconds * 1000 };
}
