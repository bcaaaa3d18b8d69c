import { resolve } from 'node:path';
import { makeFolderSync } from '../../engine/filesystem/make-folder.ts';
import type { RestoreProgress, RunOptions } from '../../engine/job/progress.ts';
import { initialProgress } from '../../engine/restore/progress-meter.ts';
import { runRestore } from '../../engine/restore/restore.ts';
import type { RestoreDependencies, RestoreReport, VerifyReport } from '../../engine/restore/types.ts';
import { verifyRestorePoint } from '../../engine/restore/verify/verify.ts';
import { WorkerPool } from '../../engine/workers/pool.ts';
import type { AgentParts, RestoreOptions, VerifyOptions } from '../agent.ts';
import { wrongUsage } from '../../base/errors.ts';
import { givenEntryPaths } from './given-path.ts';
import { isInside, realPathOf } from '../sets/new-set.ts';
import { ownFolders, requireSettings } from '../sets/set-store.ts';
import { withSession, WaitingRelay, type Session } from '../context/open-context.ts';
import { sourceOf } from '../context/set-source.ts';

/**
 * A dry run leaves the home to whoever works on it.
 *
 * @throws HoldfastError `set_unknown`, `usage`, and what `runRestore` throws
 */
export async function restore(
  parts: AgentParts,
  options: RestoreOptions,
  run: RunOptions<RestoreProgress>,
): Promise<RestoreReport> {
  const settings = requireSettings(parts.home);
  const to = resolve(options.to);
  const own = ownFolders(parts.home, settings).find((folder) => isInside(realPathOf(to), realPathOf(folder)));
  if (own !== undefined) throw wrongUsage({ problem: 'inside-own-folder', path: to, folder: own });
  const paths = givenEntryPaths(options.paths);
  const without = givenEntryPaths(options.without ?? []);
  const { conflict, dryRun = false } = options;
  const waiting = new WaitingRelay();
  const job = dryRun ? {} : { job: `restore ${options.set}` };
  if (dryRun) makeFolderSync(parts.home.scratchFolder, 0o700);
  return withSession(parts, { ...job, waiting, limits: options }, async (session) => {
    await using pool = new WorkerPool();
    const request = {
      source: { ...(await sourceOf(session, options, run.signal)), at: options.at },
      paths,
      without,
      to,
      ...(conflict === undefined ? {} : { conflict }),
      dryRun,
      sourceRoots: settings.sets.flatMap((set) => set.roots),
    };
    return await runRestore(
      request,
      dependenciesOf(session, pool, parts),
      explained(session, waiting.through(run, initialProgress('restore'))),
    );
  });
}

/** @throws HoldfastError `set_unknown`, and what `verifyRestorePoint` throws */
export async function verify(
  parts: AgentParts,
  options: VerifyOptions,
  run: RunOptions<RestoreProgress>,
): Promise<VerifyReport> {
  const waiting = new WaitingRelay();
  return withSession(parts, { job: `verify ${options.set}`, waiting, limits: options }, async (session) => {
    await using pool = new WorkerPool();
    const source = { ...(await sourceOf(session, options, run.signal)), at: options.at };
    const request = { source, samplePercent: options.samplePercent };
    return await verifyRestorePoint(
      request,
      dependenciesOf(session, pool, parts),
      explained(session, waiting.through(run, initialProgress('verify'))),
    );
  });
}

function explained({ access }: Session, run: RunOptions<RestoreProgress>): RunOptions<RestoreProgress> {
  return { ...run, explain: (error) => access.explain(error) };
}

function dependenciesOf(session: Session, pool: WorkerPool, { home, clock }: AgentParts): RestoreDependencies {
  const { access, catalog, keys } = session;
  const { service, downloader } = access;
  return { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder };
}
