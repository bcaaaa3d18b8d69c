import { resolve } from 'node:path';
import { wrongUsage } from '../../base/errors.ts';
import { makeFolderSync } from '../../engine/filesystem/make-folder.ts';
import { isInside, realPathOf } from '../../engine/filesystem/real-path.ts';
import type { RestoreProgress, RunOptions } from '../../engine/job/progress.ts';
import { initialProgress } from '../../engine/restore/progress-meter.ts';
import { runRestore } from '../../engine/restore/restore.ts';
import type { ConflictChoice, RestoreReport } from '../../engine/restore/types.ts';
import type { TransferLimits } from '../../engine/transfer/http/rate-limited-http.ts';
import { WorkerPool } from '../../engine/workers/pool.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { withContext } from '../context/open-context.ts';
import { sourceOf, type SetReference } from '../context/set-source.ts';
import { WaitingRelay } from '../context/waiting-relay.ts';
import { requireSettings } from '../home/settings.ts';
import { ownFolders } from '../sets/own-folders.ts';
import { givenEntryPaths } from '../input/entry-path.ts';

export interface RestoreOptions extends SetReference, TransferLimits {
  readonly at: number | 'latest';
  readonly paths: readonly string[];
  /** Paths to skip among `paths`, with everything below them. */
  readonly without?: readonly string[];
  /** Absolute, or relative to the working directory. */
  readonly to: string;
  readonly conflict?: ConflictChoice;
  readonly dryRun?: boolean;
}

/**
 * Restores files of a restore point. A dry run does not lock the home.
 *
 * @throws HoldfastError `set_unknown`, `usage`, and what `runRestore` throws
 */
export async function restore(
  parts: AgentParts,
  options: RestoreOptions,
  run: RunOptions<RestoreProgress>,
): Promise<RestoreReport> {
  const { home, clock } = parts;
  const settings = requireSettings(home);
  const to = resolve(options.to);
  const own = ownFolders(home, settings).find((folder) => isInside(realPathOf(to), realPathOf(folder)));
  if (own !== undefined) throw wrongUsage({ problem: 'inside-own-folder', path: to, folder: own });
  const paths = givenEntryPaths(options.paths);
  const without = givenEntryPaths(options.without ?? []);
  const { conflict, dryRun = false } = options;
  const waiting = new WaitingRelay();
  const job = dryRun ? {} : { job: `restore ${options.set}` };
  if (dryRun) makeFolderSync(home.scratchFolder, 0o700);
  return withContext(parts, { ...job, waiting, limits: options }, async (context) => {
    const { access, catalog, keys } = context;
    const { service, downloader } = access;
    await using pool = new WorkerPool();
    const request = {
      source: { ...(await sourceOf(context, options, run.signal)), at: options.at },
      paths,
      without,
      to,
      ...(conflict === undefined ? {} : { conflict }),
      dryRun,
      sourceRoots: settings.sets.flatMap((set) => set.roots),
    };
    return await runRestore(
      request,
      { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder },
      waiting.through({ ...run, explain: (error) => access.explain(error) }, initialProgress('restore')),
    );
  });
}
