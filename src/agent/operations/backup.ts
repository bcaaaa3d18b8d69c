import { INITIAL_BACKUP_PROGRESS } from '../../engine/backup/progress-meter.ts';
import { runBackup } from '../../engine/backup/run-backup.ts';
import type { BackupReport } from '../../engine/backup/types.ts';
import type { SeenTree } from '../../engine/catalog/history.ts';
import { entryPathOf } from '../../engine/filesystem/entry-path.ts';
import type { BackupProgress, RunOptions } from '../../engine/job/progress.ts';
import { RunPriority } from '../../engine/power/run-priority.ts';
import { powerSystem } from '../../engine/power/system.ts';
import { WorkerPool } from '../../engine/workers/pool.ts';
import type { AgentParts, BackupOptions } from '../agent.ts';
import { ownFoldersWithin } from '../sets/new-set.ts';
import { applyPendingPolicy } from '../sets/pending-retention.ts';
import { ownFolders, requireSet, requireSettings } from '../sets/set-store.ts';
import { withSession, WaitingRelay, type Session } from '../context/open-context.ts';

/** @throws HoldfastError `set_unknown`, `phrase_other_account`, and what `runBackup` throws */
export async function backUp(
  parts: AgentParts,
  name: string,
  options: BackupOptions,
  run: RunOptions<BackupProgress>,
): Promise<BackupReport> {
  const { home, clock } = parts;
  const settings = requireSettings(home);
  const set = requireSet(settings, name);
  const waiting = new WaitingRelay();
  const { priority: choice = 'auto', attended = false, endsWithRun = false } = options;
  // Before any thread of the run is started, and until all have ended.
  await using priority = new RunPriority({ choice, attended }, await powerSystem(endsWithRun), clock);
  return await withSession(parts, { job: `backup ${name}`, waiting, limits: options }, async (session) => {
    const { access, catalog, keys, secrets } = session;
    await using pool = new WorkerPool();
    const request = {
      set,
      deviceId: settings.deviceId,
      dryRun: options.dryRun ?? false,
      rehash: options.rehash ?? false,
      allowEmpty: options.allowEmpty ?? false,
      first: options.first ?? [],
      ownFolders: ownFoldersWithin(set.roots, ownFolders(home, settings)).map(entryPathOf),
      keyEnvelope: secrets.keyEnvelope,
    };
    const { service, uploader } = access;
    const previousTree = (): Promise<SeenTree | undefined> => newestTree(session, set.name, parts, run.signal);
    const dependencies = { service, uploader, catalog, pool, keys, clock, previousTree, scratch: home.scratchFolder };
    const report = await runBackup(
      request,
      dependencies,
      waiting.through(priority.through({ ...run, explain: (error) => access.explain(error) }), INITIAL_BACKUP_PROGRESS),
    );
    if (report.restorePoint !== undefined) await applyPendingPolicy(session, home, name);
    return report;
  });
}

/**
 * What the service has of a set that this computer knows nothing of yet. Chunks are shared within an account, so the
 * first backup under another key than the account's would make backups that nobody can open: it is refused.
 */
async function newestTree(
  { access, catalog, keys, settings }: Session,
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
  return end && { sequence: end.footer.sequence, treeHash: end.treeHash };
}
