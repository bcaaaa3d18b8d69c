import { lstat } from 'node:fs/promises';
import { HoldfastError, wrongUsage } from '../../../base/errors/errors.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { entryPathOf, fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { shownRestoreRequest } from '../../../jobs/job-request.ts';
import type { JobRecord } from '../../../jobs/job-record.ts';
import type { activityMethods, ListedRun, RunStep } from '../../../ipc/contract/activity.ts';
import type { Loss } from '../../../ipc/contract/restore/check.ts';
import type { RunReport } from '../../../ipc/contract/restore/restore.ts';
import type { OutputOf } from '../../../base/calls/contract.ts';
import type { ActiveRun } from '../../../model/run.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { OwnHandlers } from '../operation-handlers.ts';
import { requireSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { missedFoldersOf } from '../../history/absent-folders.ts';
import { listedRunOf, runReportOf, statesOf } from '../../history/finished-runs.ts';
import type { CatalogAccess } from './catalog-access.ts';
import { BackupsInTurn } from '../runs/backups-in-turn.ts';
import type { RunStarter } from '../runs/run-starter.ts';

type Methods = typeof activityMethods;

/** Handles calls that start and stop runs, and that list earlier ones. */
export function activityHandlers(
  { agent, home, runs, scheduler, changed }: HandlerContext,
  catalog: CatalogAccess,
  starter: RunStarter,
): OwnHandlers<Methods> {
  const inTurn = new BackupsInTurn(starter, runs);
  return {
    'runs.backup': async ({ set, destination }) => {
      const at = destination === undefined ? undefined : [requireSettings(home, destination).id];
      return { run: (await starter.backup(set, 'person', { at })).id };
    },
    'runs.accept': async ({ set, folders }) => {
      await agent.set({ set });
      const missed = catalog.read((open) => missedFolders(set, open, requireSettings(home).all));
      const accepted = folders.map((folder) => {
        const path = missed.find((one) => one === folder || one === entryPathOf(folder));
        if (path === undefined) throw wrongUsage({ problem: 'folder-not-missed', set, path: folder });
        return path;
      });
      return { run: (await starter.backup(set, 'person', { accepted })).id };
    },
    'runs.backup-all': async () => {
      const [first, ...others] = agent.settings()?.sets.map(({ name }) => name) ?? [];
      if (first === undefined) throw new HoldfastError('set_unknown', { set: '', known: [] });
      return { run: (await inTurn.begin([first, ...others])).id };
    },
    'runs.verify': async ({ set, samplePercent }) => {
      await agent.set({ set });
      return { run: (await starter.verify(set, samplePercent, 'person')).id };
    },
    'runs.drill': async ({ set }) => {
      await agent.set({ set });
      return { run: (await starter.drill(set, 'person')).id };
    },
    'runs.check': async ({ destination, readPercent }) => ({
      run: (await starter.check('check', destination, readPercent)).id,
    }),
    'runs.repair': async ({ destination }) => ({ run: (await starter.check('repair', destination)).id }),
    'runs.stop': ({ run }) => {
      runs.stop(run);
      return {};
    },
    'runs.pause': ({ until }) => {
      scheduler.pause(until);
      changed();
      return {};
    },
    'runs.resume': () => {
      scheduler.resume();
      changed();
      return {};
    },
    'activity.list': ({ set, kind, outcome, destination, before, limit }) => {
      const states = outcome === undefined ? undefined : statesOf(outcome);
      const filter = { backupSet: set, kind, states, destination, before };
      const jobs = catalog.read(({ journal }) => journal.list(filter, limit + 1));
      return { runs: jobs.slice(0, limit).map(listedRunOf), hasMore: jobs.length > limit };
    },
    'activity.run': ({ run }) => runDetails(run, catalog, runs.active(), agent.settings()?.deviceId),
  };
}

/** Returns the entry paths that the newest backup of a set refused to take as they were, at any destination. */
function missedFolders(
  set: string,
  { journal }: Catalog,
  destinations: readonly DestinationEntry[],
): readonly string[] {
  return destinations.flatMap(({ id }) => {
    const newest = journal.newestEnd(set, 'backup', undefined, id);
    const job = newest && journal.get(newest.id);
    return job ? missedFoldersOf(job) : [];
  });
}

/** @throws HoldfastError `usage` if there is no such run */
async function runDetails(
  id: number,
  catalog: CatalogAccess,
  active: ActiveRun | undefined,
  ownDevice: string | undefined,
): Promise<OutputOf<Methods, 'activity.run'>> {
  const { job, steps } = catalog.read(({ journal }) => ({ job: journal.get(id), steps: journal.transitions(id) }));
  if (!job) throw new HoldfastError('usage', { problem: 'run-unknown', run: id });
  const report = runReportOf(job);
  const restore = shownRestoreRequest(job);
  // Without a report it is not known which one the newest restore point was.
  const isKnown = restore?.at !== 'latest' || report?.restorePoint !== undefined;
  return {
    run: runSoFar(job, active?.id === id),
    steps: steps.map(({ state, at, reason }): RunStep => (reason === null ? { state, at } : { state, at, reason })),
    ...(report ? { report: await withPresence(report, ownDevice) } : {}),
    ...(restore && isKnown
      ? {
          request: {
            ...restore,
            at: report?.restorePoint === undefined ? restore.at : Date.parse(report.restorePoint),
          },
        }
      : {}),
  };
}

/** Finds out which of the lost versions are still on this computer. A report of an earlier version of the program does not tell them. */
async function withPresence(report: RunReport, ownDevice: string | undefined): Promise<RunReport> {
  if (!report.check) return report;
  const losses = report.check.losses.map(async (loss): Promise<Loss> => {
    if (loss.device !== ownDevice) return loss;
    const found = await presenceOf(loss);
    return { ...loss, isHere: found === 'same', isOtherHere: found === 'other' };
  });
  return { ...report, check: { ...report.check, losses: await Promise.all(losses) } };
}

async function presenceOf({ path, version }: Loss): Promise<'same' | 'other' | 'none'> {
  if (path === undefined || !version) return 'none';
  return await lstat(fileSystemPath(path), { bigint: true }).then(
    (stat) => {
      const isSame =
        stat.isFile() && String(stat.size) === String(version.size) && String(stat.mtimeNs) === version.mtimeNs;
      return isSame ? 'same' : 'other';
    },
    () => 'none',
  );
}

/** Omits the end and the outcome of an active run. */
function runSoFar(job: JobRecord, isActive: boolean): OutputOf<Methods, 'activity.run'>['run'] {
  const listed: ListedRun = listedRunOf(job);
  if (job.endedAt !== null && !isActive) return listed;
  const { outcome: _outcome, endedAt: _endedAt, ...open } = listed;
  return open;
}
