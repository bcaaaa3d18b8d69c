import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Compression } from '../../../model/compression.ts';
import { isHoldfastError, wrongUsage } from '../../../base/errors/errors.ts';
import { failureOf, INTERNAL } from '../../../base/errors/failure.ts';
import { INITIAL_BACKUP_PROGRESS } from '../../../archive/backup/progress-meter.ts';
import { reportOfOutcome, runBackup } from '../../../archive/backup/run-backup.ts';
import type {
  BackupDependencies,
  BackupOutcome,
  BackupReport,
  BackupRequest,
  CompletedTree,
} from '../../../archive/backup/types.ts';
import type { VolumeCopies } from '../../../archive/backup/reading/volume-copies.ts';
import { isCatalogDamage } from '../../../catalog/damage.ts';
import { deriveKeys } from '../../../format/crypto/keys.ts';
import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import type { PriorityChoice } from '../../../os/power/priority-decision.ts';
import { RunPriority } from '../../../os/power/run-priority.ts';
import { powerSystem } from '../../../os/power/system.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { WorkerPool } from '../../../workers/pool.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { lockHome, mendingCatalog, withContext } from '../../context/open-context.ts';
import { WaitingRelay } from '../../context/waiting-relay.ts';
import { isLimited } from '../../destination/service-connection.ts';
import { locationOf } from '../../home/destination-location.ts';
import type { Home } from '../../home/home.ts';
import { requireDestination } from '../../home/find-destination.ts';
import { requireStoredSettings, settingsFor, type Settings, type StoredSettings } from '../../home/settings.ts';
import type { ConfiguredSet } from '../../../model/set.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { Secrets } from '../../key-store/key-store.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import { withHooks } from '../../hooks/with-hooks.ts';
import { givenEntryPaths } from '../../input/entry-path.ts';
import { ownFolders, ownFoldersWithin } from '../../sets/own-folders.ts';
import { recordTree, sourceAt } from '../history/record-tree.ts';
import { applyPendingPolicy } from '../retention/retention.ts';
import { requireSet } from '../sets.ts';
import { BackupPlace, makeRoom, targetAccess, tidy, withCompleteKeys } from './backup-place.ts';
import type { BackupResult, DestinationResult } from './backup-result.ts';
import { CombinedProgress } from './combined-progress.ts';
import type { BackupRun } from './backup-run.ts';
import { recordingFailedStart } from './failed-start.ts';
import { keyRingIn } from '../../key-store/key-store.ts';

export interface BackupOptions extends TransferLimits {
  /** The name of the set. */
  readonly set: string;
  /** Names or ids of destinations. All by default, or the one of the agent. */
  readonly destinations?: readonly string[];
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
  readonly allowEmpty?: boolean;
  /** Paths of folders that are accepted as they are now: empty, without the disk that was mounted there, or with another one. */
  readonly accepted?: readonly string[];
  /** `auto` by default. */
  readonly priority?: PriorityChoice;
  /** In place of the set's own. */
  readonly compression?: Compression | undefined;
  /** True if a person waits at a terminal for this run. */
  readonly attended?: boolean;
  /** True if the process does nothing after the run, so that its priority need not be raised again. */
  readonly endsWithRun?: boolean;
  /** True in the app, whose queue of runs records those that fail before they begin. */
  readonly isQueued?: boolean;
  /** Entry paths of folders with known changes. The run scans them before others. */
  readonly first?: readonly string[];
}

/** What all destinations of a run share. */
interface SharedRun {
  readonly parts: AgentParts;
  readonly set: ConfiguredSet;
  readonly options: BackupOptions;
  readonly run: BackupRun;
  readonly priority: RunPriority;
}

/**
 * Backs up a set to one or more destinations, between the commands of the set. Several destinations succeed or fail by themselves.
 *
 * @throws HoldfastError `set_unknown`, `destination_unknown`, `command_failed`, `phrase_other_account`, and what `runBackup` throws:
 *   the error of the first destination if none succeeded, and `interrupted`
 */
export async function backUp(parts: AgentParts, options: BackupOptions, run: BackupRun): Promise<BackupResult> {
  const { set: name } = options;
  const stored = requireStoredSettings(parts.home);
  const set = requireSet(settingsFor(stored, parts.destination), name);
  if (options.dryRun === true) return await backUpWithoutHooks(parts, stored, options, run);
  const work = (watched: BackupRun): Promise<BackupResult> => {
    const backUpOnce = (): Promise<BackupResult> => backUpWithoutHooks(parts, stored, options, watched);
    return set.hooks || set.pings ? withHooks(set, parts, run.signal, backUpOnce) : backUpOnce();
  };
  if (options.isQueued === true) return await work(run);
  const destinations = chosen(settingsFor(stored, parts.destination), parts, options).map(({ id }) => id);
  return await recordingFailedStart(parts, { set: name, destinations, trigger: run.trigger }, run, work);
}

async function backUpWithoutHooks(
  parts: AgentParts,
  stored: StoredSettings,
  options: BackupOptions,
  run: BackupRun,
): Promise<BackupResult> {
  const { clock } = parts;
  const destinations = chosen(settingsFor(stored, parts.destination), parts, options).map(({ id }) =>
    settingsFor(stored, id),
  );
  const [first] = destinations;
  const set = requireSet(first!, options.set);
  const { priority: choice = 'auto', attended = false, endsWithRun = false } = options;
  // Before any thread of the run is started, and until all have ended.
  await using priority = new RunPriority({ choice, attended }, await powerSystem(endsWithRun), clock);
  const shared = { parts, set, options, run, priority };
  // A dry run sends nothing anywhere.
  const isToOne = destinations.length === 1 || options.dryRun === true;
  const attempt = (): Promise<BackupResult> =>
    isToOne
      ? backUpToOne(first!, shared)
      : mendingCatalog(parts, async () => await backUpToSeveral(destinations, shared));
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      // The catalog has been made anew, or this home has the new key by now.
      const isMended = isCatalogDamage(error) || isHoldfastError(error, 'key_changed');
      if (!isMended || attempts === MOST_ATTEMPTS) throw error;
    }
  }
}

/** A key that is changed again while a run begins is not worth a third attempt. */
const MOST_ATTEMPTS = 2;

function chosen(
  { all }: Settings,
  { destination }: AgentParts,
  { destinations = destination === undefined ? undefined : [destination] }: BackupOptions,
): readonly DestinationEntry[] {
  if (!destinations) return all;
  const wanted = new Set(destinations.map((name) => requireDestination({ destinations: all }, name)));
  return all.filter((entry) => wanted.has(entry));
}

async function backUpToOne(
  settings: Settings,
  { parts, set, options, run, priority }: SharedRun,
): Promise<BackupReport> {
  const { home, clock } = parts;
  const waiting = new WaitingRelay();
  const opening = { job: `backup ${set.name}`, waiting, limits: options, isBackup: true };
  await using pool = poolFor(home, options);
  return await withContext(partsAt(parts, settings.id), opening, async (opened) => {
    const context = await withCompleteKeys(opened, parts, { dryRun: options.dryRun, signal: run.signal });
    const { access, catalog, keys, secrets } = context;
    const request = requestOf(settings, secrets, { parts, set, options });
    const dependencies = { catalog: catalog.whole, pool, keys, clock, ...(await workplaceIn(home)) };
    const watched = waiting.through(priority.through(run), INITIAL_BACKUP_PROGRESS);
    if (options.dryRun) {
      const { runDryBackup } = await import('../../../archive/backup/dry-run.ts');
      return await runDryBackup(request, dependencies, watched);
    }
    const target = {
      ...watched,
      destination: catalog.destination,
      deviceId: settings.deviceId,
      explain: (error: unknown) => access.explain(error),
      open: () => targetAccess(context, { parts, set: set.name, signal: run.signal }),
      onTree: (tree: CompletedTree) => recordTree(parts, sourceAt(settings, set.name), tree),
    };
    const [outcome] = await runBackup(request, [target], dependencies, watched);
    if (!outcome!.report) await makeRoom(access, outcome!.error, run.signal);
    const report = reportOfOutcome(outcome!);
    await applyPendingPolicy(context, home, set.name);
    await tidy(access, run.signal);
    return report;
  });
}

/** Where a run keeps temporary files, and the copies of volumes that it reads files from that are locked or keep changing. */
async function workplaceIn({
  folder,
  scratchFolder,
}: Home): Promise<Pick<BackupDependencies, 'scratch' | 'volumeCopies'>> {
  const volumeCopies = await volumeCopiesOf(folder);
  await volumeCopies?.sweep();
  return { scratch: scratchFolder, ...(volumeCopies && { volumeCopies }) };
}

/** Returns `undefined` on a system without copies of volumes. */
async function volumeCopiesOf(folder: string): Promise<(VolumeCopies & { sweep(): Promise<void> }) | undefined> {
  if (process.platform === 'win32') {
    const { WmiShadowCopies } = await import('../../../os/filesystem/windows/shadow-copies.ts');
    return new WmiShadowCopies(join(folder, 'shadow-copies.txt'));
  }
  if (process.platform === 'darwin') {
    const { ApfsSnapshots } = await import('../../../os/filesystem/macos/apfs-snapshots.ts');
    return new ApfsSnapshots(join(folder, 'snapshots.txt'), join(folder, 'snapshots'));
  }
  return undefined;
}

async function backUpToSeveral(
  destinations: readonly Settings[],
  shared: SharedRun,
  isRepeated = false,
): Promise<BackupResult> {
  const { parts, set, options, run, priority } = shared;
  const { home, clock } = parts;
  refuseUselessLimits(destinations, options);
  using locked = lockHome(parts, `backup ${set.name}`);
  const secrets = await anySecrets(destinations, parts);
  const keys = deriveKeys(keyRingIn(secrets));
  await using pool = poolFor(home, options);
  using catalog = locked.openCatalog();
  const { onProgress } = priority.through(run);
  const ids = destinations.map(({ id }) => id);
  const progress = new CombinedProgress(ids, (combined) => onProgress?.(combined));
  const places = destinations.map(
    (settings) =>
      new BackupPlace(settings, {
        parts,
        set: set.name,
        catalog,
        keys,
        limits: options,
        signal: run.signal,
        onJob: (id) => run.onJob?.(id),
        onProgress: (there) => {
          run.onProgressAt?.(settings.id, there);
          progress.update(settings.id, there);
        },
      }),
  );
  const finishing: Promise<void>[] = [];
  const outcomes = await runBackup(
    requestOf(destinations[0]!, secrets, shared),
    places.map(({ target }) => target),
    { catalog, pool, keys, clock, ...(await workplaceIn(home)) },
    {
      ...(run.signal && { signal: run.signal }),
      ...(run.trigger !== undefined && { trigger: run.trigger }),
      onOutcome: (outcome) => {
        progress.end(outcome.destination);
        run.onEndAt?.(outcome.destination, outcome.report ? undefined : (failureOf(outcome.error) ?? INTERNAL));
        finishing.push(places[ids.indexOf(outcome.destination)]!.finish(outcome));
      },
    },
  );
  // All are closed before an error of one is thrown.
  await Promise.allSettled(finishing);
  await Promise.all(finishing);
  const result = resultOf(destinations, outcomes, run.signal);
  return isRepeated ? result : await withNewKey(result, destinations, shared);
}

/** Backs up again to the destinations whose key was changed by another computer. */
async function withNewKey(
  result: BackupResult,
  destinations: readonly Settings[],
  shared: SharedRun,
): Promise<BackupResult> {
  const changed = (result.destinations ?? []).filter((one) => one.failure?.code === 'key_changed');
  if (changed.length === 0) return result;
  const ids = new Set(changed.map(({ id }) => id));
  const again = await backUpToSeveral(
    destinations.filter(({ id }) => ids.has(id)),
    shared,
    true,
  );
  const repeated = new Map(again.destinations?.map((one) => [one.id, one]));
  return { ...result, destinations: (result.destinations ?? []).map((one) => repeated.get(one.id) ?? one) };
}

/** A first backup certainly needs a thread: it starts while the destination is opened. */
function poolFor({ catalogFile }: Home, { dryRun = false }: BackupOptions): WorkerPool {
  const pool = new WorkerPool();
  if (!dryRun && !existsSync(catalogFile)) pool.start();
  return pool;
}

/** @param settings with any destination of the run */
function requestOf(
  settings: Settings,
  { keyEnvelope }: Secrets,
  { parts: { home }, set, options }: Pick<SharedRun, 'parts' | 'set' | 'options'>,
): BackupRequest {
  return {
    set: { ...set, compression: options.compression ?? set.compression },
    rehash: options.rehash ?? false,
    allowEmpty: options.allowEmpty ?? false,
    accepted: givenEntryPaths(options.accepted ?? [], set.roots),
    first: options.first ?? [],
    ownFolders: ownFoldersWithin(set.roots, ownFolders(home, settings)).map(entryPathOf),
    hasCommand: set.hooks?.before !== undefined,
    keyEnvelope,
    deviceName: settings.deviceName,
  };
}

/** As for one destination, if a limit would apply to none of them. */
function refuseUselessLimits(destinations: readonly Settings[], limits: TransferLimits): void {
  if (!isLimited(limits) || destinations.some(({ destination }) => destination.kind === 'service')) return;
  throw wrongUsage({ problem: 'limit-without-service', directory: locationOf(destinations[0]!.destination) });
}

/** Loads the secrets of the first destination that has any. The master key is the same for all. */
async function anySecrets(destinations: readonly Settings[], { keyStore }: AgentParts): Promise<Secrets> {
  const loading = destinations.map((settings) => requireSecrets(keyStore.at(settings.credentials), settings));
  const results = await Promise.allSettled(loading);
  const found = results.find((result) => result.status === 'fulfilled');
  return found ? found.value : await loading[0]!;
}

/** @throws the error of the first destination if none succeeded, `interrupted`, and errors that are bugs */
function resultOf(
  destinations: readonly Settings[],
  outcomes: readonly BackupOutcome[],
  signal: AbortSignal | undefined,
): BackupResult {
  const failed = outcomes.filter(({ report }) => !report);
  const bug = failed.find(({ error }) => isCatalogDamage(error)) ?? failed.find(({ error }) => !failureOf(error));
  if (bug) throw bug.error;
  const first = outcomes.find(({ report }) => report)?.report;
  if (!first || (signal?.aborted && failed.length > 0)) throw failed[0]!.error;
  const results = outcomes.map(({ report, error }, index): DestinationResult => {
    const { id, name } = destinations[index]!;
    return report ? { id, name, report } : { id, name, failure: failureOf(error)! };
  });
  return { ...first, destinations: results };
}
