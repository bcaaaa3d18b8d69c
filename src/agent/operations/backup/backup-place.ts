import { INITIAL_BACKUP_PROGRESS } from '../../../archive/backup/progress-meter.ts';
import type { BackupOutcome, BackupTarget, TargetAccess } from '../../../archive/backup/types.ts';
import type { NewestTree } from '../../../read/source/tree.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { keyIdOf, type Keys } from '../../../format/crypto/keys.ts';
import type { BackupProgress } from '../../../jobs/progress.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { WatchedPoints } from '../../context/watched-points.ts';
import { openDestination } from '../../context/open-context.ts';
import type { OperationContext } from '../../context/operation-context.ts';
import { WaitingRelay } from '../../context/waiting-relay.ts';
import { keysOf } from '../../destination/keys/keys-of.ts';
import type { ServiceAccess } from '../../destination/service-access.ts';
import type { Settings } from '../../home/settings.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import { recordTree, sourceAt } from '../history/record-tree.ts';
import { unknownRunsIfAny } from './unknown-runs.ts';
import { signsAfterRun } from '../retention/ransomware-signs.ts';
import { applyPendingPolicy } from '../retention/retention.ts';

interface SetOfRun {
  readonly parts: AgentParts;
  readonly set: string;
  readonly signal: AbortSignal | undefined;
}

export interface BackupPlaceParts extends SetOfRun {
  readonly catalog: Catalog;
  readonly keys: Keys;
  /** Apply to services only. */
  readonly limits: TransferLimits;
  readonly onJob: (id: number) => void;
  readonly onProgress: (progress: BackupProgress) => void;
}

/** One of several destinations of a backup: opened during the run, and closed as soon as it is done. */
export class BackupPlace {
  readonly target: BackupTarget;
  readonly #settings: Settings;
  readonly #parts: BackupPlaceParts;
  readonly #waiting = new WaitingRelay();
  #opening: Promise<OperationContext> | undefined;
  #opened: OperationContext | undefined;

  /** @param settings with this destination */
  constructor(settings: Settings, parts: BackupPlaceParts) {
    this.#settings = settings;
    this.#parts = parts;
    const { onJob, onProgress } = parts;
    this.target = {
      ...this.#waiting.through({ onProgress }, INITIAL_BACKUP_PROGRESS),
      onJob,
      destination: settings.id,
      deviceId: settings.deviceId,
      onTree: (tree) => recordTree(parts.parts, sourceAt(settings, parts.set), tree),
      open: async () => {
        this.#opening = this.#open();
        const context = await this.#opening;
        this.#opened = context;
        return await targetAccess(context, parts);
      },
    };
  }

  /** Does what is due after a backup, and closes the destination. */
  async finish({ report, error }: BackupOutcome): Promise<void> {
    const context = this.#opened;
    if (!context) {
      // A destination that does not respond must not delay the end of the run.
      void this.#opening?.then(
        ({ access }) => access[Symbol.asyncDispose](),
        () => undefined,
      );
      return;
    }
    await using access = context.access;
    const { parts, set, signal } = this.#parts;
    if (!report) return await makeRoom(access, error, signal);
    await applyPendingPolicy(context, parts.home, set);
    await tidy(access, signal);
  }

  async #open(): Promise<OperationContext> {
    const { parts, catalog, keys, limits } = this.#parts;
    const settings = this.#settings;
    const secrets = await requireSecrets(parts.keyStore.at(settings.credentials), settings);
    const isService = settings.destination.kind === 'service';
    const options = { isPatient: true, waiting: this.#waiting, ...(isService ? { limits } : {}) };
    const access = await openDestination(parts, settings, secrets, options);
    try {
      // What this run has sealed so far, a removed computer could open.
      if (keyIdOf(access.secrets.masterKey) !== keys.id)
        throw new HoldfastError('key_changed', {}, { retryable: true });
      const own = keysOf(access.secrets, access.settled);
      const context = {
        settings,
        secrets: access.secrets,
        keys: own,
        access,
        catalog: catalog.at(settings.id),
        watched: new WatchedPoints(),
      };
      return await withCompleteKeys(context, parts, { signal: this.#parts.signal });
    } catch (error) {
      await access[Symbol.asyncDispose]();
      throw error;
    }
  }
}

/** Adds to a destination what its key envelopes lack. A dry run adds nothing. @throws HoldfastError `key_changed` */
export async function withCompleteKeys(
  context: OperationContext,
  { home, keyStore, clock }: AgentParts,
  { dryRun = false, signal }: { readonly dryRun?: boolean | undefined; readonly signal?: AbortSignal | undefined },
): Promise<OperationContext> {
  if (dryRun) return context;
  const [{ completeKeys }, { KnownWriters }] = await Promise.all([
    import('../../destination/keys/complete-keys.ts'),
    import('../../destination/keys/known-writers.ts'),
  ]);
  const { id, credentials } = context.settings;
  const known = new KnownWriters(home, id);
  const options = { now: clock.now(), signal };
  return { ...context, secrets: await completeKeys(context.access, keyStore.at(credentials), known, options) };
}

/** Cleans up the destination. The backup is complete, so a failure waits for the next run. */
export async function tidy(access: ServiceAccess, signal: AbortSignal | undefined): Promise<void> {
  try {
    await access.tidy?.(signal);
  } catch (error) {
    if (!isHoldfastError(error) && !signal?.aborted) throw error;
  }
}

/**
 * After a backup found no room: does what is due, and frees what nobody needs any more. Otherwise no backup would succeed again, and only one that did
 * would free anything. The backup has failed, and keeps its error.
 */
export async function makeRoom(access: ServiceAccess, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (!isHoldfastError(error, 'destination_full') || signal?.aborted) return;
  await tidy(access, signal);
  try {
    await access.collect?.('full', signal);
  } catch (failure) {
    if (!isHoldfastError(failure) && !signal?.aborted) throw failure;
  }
}

/**
 * What a run uses of a destination that is open. Other devices of a service may have changed the key.
 *
 * @throws HoldfastError `key_changed`, `key_outdated`, and what the service throws
 */
export async function targetAccess(context: OperationContext, of: SetOfRun): Promise<TargetAccess> {
  const { service, uploader, downloader, repository } = context.access;
  const { parts, set, signal } = of;
  await repository?.keepReserve(signal);
  const at = repository ? { context, warnings: [] } : await atService(context, of);
  return {
    service,
    uploader,
    downloader,
    keyEnvelope: at.context.secrets.keyEnvelope,
    previousTree: () => newestTree(at.context, of),
    checkPoints: async () => [
      ...at.warnings,
      ...(await unknownRunsIfAny(at.context, { set, clock: parts.clock, signal })),
    ],
    judgeRun: () => signsAfterRun(at.context, set, signal),
  };
}

/** Takes over what the envelopes at a service say, and completes the one that this run stores. */
async function atService(
  context: OperationContext,
  { parts, signal }: SetOfRun,
): Promise<{ readonly context: OperationContext; readonly warnings: readonly RunWarning[] }> {
  const { completeServiceKeys, takeServiceKeys } = await import('../../destination/keys/service-keys.ts');
  const taken = await takeServiceKeys(context, parts, signal);
  const keyEnvelope = await completeServiceKeys(taken, context.keys.id, parts, signal);
  taken.remember();
  const { secrets, settled, warnings } = taken;
  return { context: { ...context, secrets: { ...secrets, keyEnvelope }, keys: keysOf(secrets, settled) }, warnings };
}

/**
 * Reads the newest tree of a set that this computer has not backed up before. Chunks are shared within an account, so a
 * first backup under another key than the account's, which nobody could open, is refused.
 */
async function newestTree(
  { access, catalog, keys, settings }: OperationContext,
  { parts: { clock }, set: backupSet, signal }: SetOfRun,
): Promise<NewestTree | undefined> {
  const source = { deviceId: settings.deviceId, backupSet };
  const [{ checkAccountKeys }, { readTreeFooter }] = await Promise.all([
    import('../../destination/keys/account-keys.ts'),
    import('../../../read/source/tree.ts'),
  ]);
  await checkAccountKeys(access, source, keys, signal);
  const { service, downloader } = access;
  return await readTreeFooter({ ...source, at: 'latest' }, { service, downloader, catalog, keys, clock }, signal);
}
