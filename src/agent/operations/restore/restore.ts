import { wrongUsage } from '../../../base/errors/errors.ts';
import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import type { RestoreProgress, RunOptions } from '../../../jobs/progress.ts';
import { initialProgress } from '../../../restore/progress-meter.ts';
import { runRestore } from '../../../restore/restore.ts';
import type { RestoreReport } from '../../../restore/types.ts';
import { WorkerPool } from '../../../workers/pool.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { WaitingRelay } from '../../context/waiting-relay.ts';
import { requireDestination } from '../../home/find-destination.ts';
import { ownRoots, requireSettings, requireStoredSettings } from '../../home/settings.ts';
import { ownFolderOf, ownFolders } from '../../sets/own-folders.ts';
import type { ReadingNotes } from './choose-destination.ts';
import { setRulesOf } from './set-rules.ts';
import { withReading, type ReadingContext } from './reading-context.ts';
import { resolveRestoreRequest, type RestoreOptions } from './restore-request.ts';

/**
 * Restores files of a restore point. A dry run does not lock the home.
 *
 * @throws HoldfastError `set_unknown`, `usage`, and what `runRestore` throws
 */
export async function restore(
  parts: AgentParts,
  options: RestoreOptions,
  run: RunOptions<RestoreProgress>,
): Promise<RestoreReport & ReadingNotes> {
  const { home, clock } = parts;
  const destination = destinationOf(options, parts);
  const settings = requireSettings(home, destination);
  const asked = { ...options, destination };
  const request = resolveRestoreRequest(asked, settings.deviceId, ownRoots(home, options));
  const { to } = request;
  refuseOwnFolders(to === null ? request.paths : [to], ownFolders(home, settings));
  const { dryRun = false } = options;
  const waiting = new WaitingRelay();
  const shown = waiting.through(run, initialProgress('restore'));
  const job = dryRun ? {} : { job: `restore ${options.set}` };
  if (dryRun) makePrivateFolderSync(home.scratchFolder);
  else if (to === null) makePrivateFolderSync(home.undoFolder);
  const restoreFrom = async (context: ReadingContext): Promise<RestoreReport & ReadingNotes> => {
    const { access, catalog, keys, source, downloader, notes } = context;
    const { service } = access;
    await using pool = new WorkerPool();
    const sourceRoots = settings.sets.flatMap((set) => set.roots);
    const rules = request.to === null ? setRulesOf(home, settings, source) : undefined;
    const report = await runRestore(
      { ...request, source, dryRun, sourceRoots, rules },
      { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder, undoRecords: home.undoFolder },
      { ...shown, explain: (error) => access.explain(error) },
    );
    return { ...report, ...notes };
  };
  return withReading(
    partsAt(parts, destination),
    options,
    { ...job, waiting, limits: options },
    restoreFrom,
    run.signal,
  );
}

/** @throws HoldfastError `usage` */
function refuseOwnFolders(paths: readonly string[], folders: readonly string[]): void {
  for (const path of paths) {
    const folder = ownFolderOf(path, folders);
    if (folder !== undefined) throw wrongUsage({ problem: 'inside-own-folder', path, folder });
  }
}

/** Returns the id of the destination that was named; `undefined` for the nearest. @throws HoldfastError `destination_unknown` */
function destinationOf({ destination: name }: RestoreOptions, { home, destination }: AgentParts): string | undefined {
  return name === undefined ? destination : requireDestination(requireStoredSettings(home), name).id;
}
