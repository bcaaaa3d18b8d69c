import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import type { UndoableRestore, UndoReport } from '../../../restore/undo/undo-report.ts';
import { undoableRestore, undoRestore, type UndoOptions } from '../../../restore/undo/undo-restore.ts';
import type { RestoreProgress, RunOptions } from '../../../jobs/progress.ts';
import { RecordedJob } from '../../../jobs/recorded-job.ts';
import { deriveKeys, type Keys } from '../../../format/crypto/keys.ts';
import { hasRecords } from '../../../restore/record/restore-record.ts';
import { keyRingIn } from '../../key-store/key-store.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { lockHome, mendingCatalog } from '../../context/open-context.ts';
import { requireSettings } from '../../home/settings.ts';

/** Returns the newest restore to the original places that can be undone. @throws HoldfastError `not_set_up` */
export async function lastUndoable(parts: AgentParts): Promise<UndoableRestore | undefined> {
  const { home, clock } = parts;
  requireSettings(home);
  makePrivateFolderSync(home.undoFolder);
  // Mostly there is none, and the keychain need not be asked.
  if (!hasRecords(home.undoFolder)) return undefined;
  return undoableRestore({ records: home.undoFolder, clock, keys: await keysOf(parts) });
}

/**
 * Undoes that restore, and records it as a job. A dry run does not lock the home.
 *
 * @throws HoldfastError `home_busy`, and what `undoRestore` throws
 */
export async function undo(
  parts: AgentParts,
  input: Omit<UndoOptions, 'signal'>,
  run: RunOptions<RestoreProgress> = {},
): Promise<UndoReport> {
  const { home, clock } = parts;
  const options = { ...input, signal: run.signal };
  const settings = requireSettings(home);
  makePrivateFolderSync(home.undoFolder);
  const keys = await keysOf(parts);
  const deps = { records: home.undoFolder, clock, keys };
  if (options.dryRun === true) return await undoRestore(deps, options);
  return await mendingCatalog(parts, async () => {
    using lock = lockHome(parts, 'undo');
    // Without anything to undo there is no job.
    const last = hasRecords(home.undoFolder) ? undoableRestore(deps) : undefined;
    if (!last) return await undoRestore(deps, options);
    using catalog = lock.openCatalog();
    const newJob = { kind: 'undo', backupSet: last.backupSet, destination: settings.id } as const;
    const job = new RecordedJob(catalog.journal, clock, newJob, run);
    return await job.record(async () => {
      const report = await undoRestore(deps, options);
      return { report, warnings: report.notUndoneTotal };
    });
  });
}

/** @throws HoldfastError `keychain_unavailable`, `home_damaged` */
async function keysOf({ home, keyStore, destination }: AgentParts): Promise<Pick<Keys, 'undo'>> {
  const settings = requireSettings(home, destination);
  const secrets = await requireSecrets(keyStore.at(settings.credentials), settings);
  return deriveKeys(keyRingIn(secrets));
}
