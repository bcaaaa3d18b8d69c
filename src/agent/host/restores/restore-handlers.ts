import { HoldfastError } from '../../../base/errors/errors.ts';
import type { MetEntry } from '../../../restore/conflicts/existing-comparison.ts';
import type { RestoreProgress, RunOptions } from '../../../jobs/progress.ts';
import type { RestoreReport } from '../../../restore/types.ts';
import type { UndoReport } from '../../../restore/undo/undo-report.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import type { privateExportMethods } from '../../../ipc/contract/restore/export.ts';
import type { restoreMethods, UndoOutcome } from '../../../ipc/contract/restore/restore.ts';
import { undoOutcomeOf } from '../../history/undo-outcome.ts';
import { allRestoreSources, type RestoreSource } from '../../operations/restore/restore-sources.ts';
import type { HandlerContext } from '../handler-context.ts';
import { spaceAt } from '../destination/available-disks.ts';
import { RestoreBrowserPort } from '../browse/restore-browser-port.ts';
import type { RestoreRequest } from '../../../model/restore-request.ts';
import { filesOnDisk } from './files-on-disk.ts';
import { restorePointsOf, sourcesAt } from './listed-points.ts';
import type { Restores } from './restores.ts';

/** Handles the calls of the restore view. */
export function restoreHandlers(
  host: HandlerContext,
  restores: Restores,
): Handlers<typeof restoreMethods & typeof privateExportMethods> {
  const { agent, runs } = host;
  const browser = new RestoreBrowserPort(agent.parts);
  let planning = new AbortController();
  let latest: { readonly plan: number; readonly met: readonly MetEntry[] } = { plan: 0, met: [] };

  const plan = (request: RestoreRequest): Promise<RestoreReport> => {
    planning.abort();
    planning = new AbortController();
    return agent.restore({ ...request, dryRun: true }, { signal: planning.signal });
  };

  return {
    'restore.points': (reference) => restorePointsOf(host, browser, reference),
    'restore.sources': async ({ destination }) => {
      const at = (id: string): Promise<readonly RestoreSource[]> => sourcesAt(agent, browser, id);
      const all = await (destination === undefined ? allRestoreSources(agent.parts, at) : at(destination));
      if (all.length > 0) browser.warm();
      return { sources: [...all] };
    },
    'restore.open': async (input) => ({ listing: await browser.open(input) }),
    'restore.rows': (input) => browser.rows(input),
    'restore.jump': async (input) => ({ row: await browser.jump(input) }),
    'restore.find': async (input) => ({ entries: await browser.find(input) }),
    'restore.plan': async (request) => {
      const report = await plan(request);
      const space = await spaceAt(report.target);
      latest = { plan: latest.plan + 1, met: report.planned?.met ?? [] };
      return {
        files: report.filesRestored,
        bytes: report.bytesWritten,
        conflicts: [...report.conflicts],
        conflictsTotal: report.conflictsTotal,
        conflictsNewer: report.conflictsNewer,
        unchanged: report.filesUnchanged,
        bytesToFetch: report.bytesToFetch,
        ...(report.surplus ? { surplus: { ...report.surplus, paths: [...report.surplus.paths] } } : {}),
        freeBytes: space?.free,
        ...plannedOf(report),
        plan: latest.plan,
      };
    },
    'restore.met': ({ plan: asked, from, count }) => {
      if (asked !== latest.plan) throw new HoldfastError('refused', { problem: 'listing-closed' });
      const { met } = latest;
      return { entries: met.slice(from, from + count), total: met.length };
    },
    'restore.start': async (request) => {
      // If another run is active, starting fails anyway.
      if (request.conflict === undefined && request.exact !== true && runs.busySet === undefined) {
        throwForConflicts(await plan(request));
      }
      return { run: (await restores.start(request)).id };
    },
    'restore.later': async (request) => {
      await restores.put(request);
      return {};
    },
    'restore.waiting': () => {
      const { request, blocked } = restores;
      return { ...(request && { request }), ...(blocked && { failure: blocked.failure, stopped: blocked.request }) };
    },
    'restore.undoable': async () => {
      const last = await agent.undoableRestore();
      if (!last) return {};
      const { backupSet: set, restorePoint, startedAt, replaced, moved, created, isBegun } = last;
      return { last: { set, restorePoint, startedAt, replaced, moved, created, isBegun } };
    },
    'restore.undo': async ({ startedAt }) => {
      const last = await agent.undoableRestore();
      if (last?.startedAt !== startedAt) throw new HoldfastError('undo_nothing');
      runs.throwIfBusy();
      // One that waits would go on with what is undone.
      restores.forget();
      return await undoAsRun(host, last.backupSet);
    },
    'restore.export': async ({ destination, file, ...options }) => {
      const there = agent.at(destination);
      const request = { kind: 'export', set: options.set, trigger: 'person' } as const;
      const write = (run: RunOptions<RestoreProgress>) => there.exportPoint({ ...options, to: file }, run);
      return { run: (await runs.start(request, write)).id };
    },
    'restore.on-disk': async ({ paths }) => ({ found: await filesOnDisk(paths) }),
    'restore.forget': () => {
      restores.forget();
      return {};
    },
  };
}

/** @throws what the undo throws */
async function undoAsRun({ agent, runs }: HandlerContext, set: string): Promise<UndoOutcome> {
  let ended: { readonly report: UndoReport } | { readonly error: unknown } | undefined;
  const begun = await runs.start<RestoreProgress>({ kind: 'undo', set, trigger: 'person' }, async (run) => {
    try {
      ended = { report: await agent.undoRestore({}, run) };
    } catch (error) {
      ended = { error };
      throw error;
    }
  });
  await begun.ended;
  if (!ended) throw new HoldfastError('interrupted');
  if ('error' in ended) throw ended.error;
  return undoOutcomeOf(ended.report);
}

function plannedOf({ planned, names }: RestoreReport) {
  return {
    names: { named: [...names.named], total: names.total },
    ...(planned && {
      bytesNeeded: planned.bytesNeeded,
      filesNew: planned.filesNew,
      byChoice: { ...planned.byChoice },
    }),
  };
}

/** @throws HoldfastError `target_conflict` with details `{target, conflicts, total}` */
function throwForConflicts({ target, conflicts, conflictsTotal: total, planned }: RestoreReport): void {
  if ((planned?.undecided ?? total) > 0) throw new HoldfastError('target_conflict', { target, conflicts, total });
}
