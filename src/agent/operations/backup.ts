import type { Compression } from '../../base/compression.ts';
import { INITIAL_BACKUP_PROGRESS } from '../../engine/backup/progress-meter.ts';
import { reportOfOutcome, runBackup } from '../../engine/backup/run-backup.ts';
import type { BackupReport } from '../../engine/backup/types.ts';
import type { SeenTree } from '../../engine/catalog/history.ts';
import { entryPathOf } from '../../engine/filesystem/entry-path.ts';
import type { BackupProgress, RunOptions } from '../../engine/job/progress.ts';
import type { PriorityChoice } from '../../engine/power/priority-decision.ts';
import { RunPriority } from '../../engine/power/run-priority.ts';
import { powerSystem } from '../../engine/power/system.ts';
import type { TransferLimits } from '../../engine/transfer/http/rate-limited-http.ts';
import { WorkerPool } from '../../engine/workers/pool.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { withContext } from '../context/open-context.ts';
import type { OperationContext } from '../context/operation-context.ts';
import { WaitingRelay } from '../context/waiting-relay.ts';
import { isHoldfastError } from '../../base/errors.ts';
import { requireSettings } from '../home/settings.ts';
import { ownFolders, ownFoldersWithin } from '../sets/own-folders.ts';
import { applyPendingPolicy } from './retention/retention.ts';
import { requireSet } from './sets.ts';

export interface BackupOptions extends TransferLimits {
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
  readonly allowEmpty?: boolean;
  /** `auto` by default. */
  readonly priority?: PriorityChoice;
  /** In place of the set's own. */
  readonly compression?: Compression | undefined;
  /** True if a person waits at a terminal for this run. */
  readonly attended?: boolean;
  /** True if the process does nothing after the run, so that its priority need not be raised again. */
  readonly endsWithRun?: boolean;
  /** Entry paths of folders with known changes. The run scans them before others. */
  readonly first?: readonly string[];
}

/** @throws HoldfastError `set_unknown`, `phrase_other_account`, and what `runBackup` throws */
export async function backUp(
  parts: AgentParts,
  name: string,
  options: BackupOptions,
  run: RunOptions<BackupProgress>,
): Promise<BackupReport> {
  const { home, clock } = parts;
  const settings = requireSettings(home, parts.destination);
  const set = requireSet(settings, name);
  const waiting = new WaitingRelay();
  const { priority: choice = 'auto', attended = false, endsWithRun = false } = options;
  // Before any thread of the run is started, and until all have ended.
  await using priority = new RunPriority({ choice, attended }, await powerSystem(endsWithRun), clock);
  return await withContext(parts, { job: `backup ${name}`, waiting, limits: options }, async (context) => {
    const { access, catalog, keys, secrets } = context;
    await using pool = new WorkerPool();
    const request = {
      set: { ...set, compression: options.compression ?? set.compression },
      rehash: options.rehash ?? false,
      allowEmpty: options.allowEmpty ?? false,
      first: options.first ?? [],
      ownFolders: ownFoldersWithin(set.roots, ownFolders(home, settings)).map(entryPathOf),
      keyEnvelope: secrets.keyEnvelope,
    };
    const { service, uploader } = access;
    const dependencies = { catalog: catalog.whole, pool, keys, clock, scratch: home.scratchFolder };
    const watched = waiting.through(priority.through(run), INITIAL_BACKUP_PROGRESS);
    if (options.dryRun) {
      const { runDryBackup } = await import('../../engine/backup/dry-run.ts');
      return await runDryBackup(request, dependencies, watched);
    }
    const previousTree = (): Promise<SeenTree | undefined> => newestTree(context, set.name, parts, run.signal);
    const target = {
      ...watched,
      destination: catalog.destination,
      deviceId: settings.deviceId,
      explain: (error: unknown) => access.explain(error),
      open: () => Promise.resolve({ service, uploader, previousTree }),
    };
    const [outcome] = await runBackup(request, [target], dependencies, watched);
    const report = reportOfOutcome(outcome!);
    await applyPendingPolicy(context, home, name);
    await tidy(access, run.signal);
    return report;
  });
}

/** Cleans up the destination. The backup is complete, so a failure waits for the next run. */
async function tidy(access: OperationContext['access'], signal: AbortSignal | undefined): Promise<void> {
  try {
    await access.tidy?.(signal);
  } catch (error) {
    if (!isHoldfastError(error) && !signal?.aborted) throw error;
  }
}

/**
 * Reads the newest tree of a set that this computer has not backed up before. Chunks are shared within an account, so a
 * first backup under another key than the account's, which nobody could open, is refused.
 */
async function newestTree(
  { access, catalog, keys, settings }: OperationContext,
  backupSet: string,
  { clock }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<SeenTree | undefined> {
  const source = { deviceId: settings.deviceId, backupSet };
  const [{ checkAccountKeys }, { readTreeFooter }] = await Promise.all([
    import('../destination/account-keys.ts'),
    import('../../engine/restore/source/tree.ts'),
  ]);
  await checkAccountKeys(access, source, keys, signal);
  const { service, downloader } = access;
  const end = await readTreeFooter({ ...source, at: 'latest' }, { service, downloader, catalog, keys, clock }, signal);
  return end?.footer;
}
