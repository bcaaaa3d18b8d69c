import { resolve } from 'node:path';
import { HoldfastError } from '../../engine/errors.ts';
import type { RestoreProgress } from '../../engine/job/progress.ts';
import type { RestoreReport } from '../../engine/restore/types.ts';
import type { TransferLimits } from '../../engine/transfer/limited-http.ts';
import type { Handlers } from '../../ipc/method.ts';
import type { RestoreRequest, restoreMethods } from '../../ipc/restore.ts';
import type { RestoreOptions } from '../agent.ts';
import { pointInTime } from '../point-in-time.ts';
import { pinnedPoints, sources } from '../run/browse-questions.ts';
import type { HostParts } from './host-parts.ts';
import { spaceAt } from './places/places.ts';
import { RestoreBrowserPort } from './restore-browser-port.ts';
import { RestoreLater } from './restore-later.ts';
import type { BegunRun } from './run-queue.ts';

/**
 * Answers what the restore view asks.
 *
 * @param limits what a restore of a set may take of the line
 */
export function restoreHandlers(
  host: HostParts,
  limits: (set: string) => TransferLimits = () => ({}),
): Handlers<typeof restoreMethods> {
  const { agent, parts, runs, clock } = host;
  const browser = new RestoreBrowserPort(parts);
  const later = new RestoreLater(runs);
  let planning = new AbortController();

  const optionsOf = async (request: RestoreRequest): Promise<RestoreOptions> => {
    const { set, device, restorePoint, paths, without = [], to, conflict } = request;
    return {
      set,
      at: await pointInTime(restorePoint, clock.now()),
      paths,
      without,
      to: resolve(to),
      ...limits(set),
      ...(device === undefined ? {} : { device }),
      ...(conflict === undefined ? {} : { conflict }),
    };
  };

  const plan = (options: RestoreOptions): Promise<RestoreReport> => {
    planning.abort();
    planning = new AbortController();
    return agent.restore({ ...options, dryRun: true }, { signal: planning.signal });
  };

  const begin = (set: string, options: RestoreOptions): Promise<BegunRun> => {
    const run = { kind: 'restore', set, trigger: 'person' } as const;
    return runs.start<RestoreProgress>(run, (given) => agent.restore(options, given));
  };

  return {
    'restore.points': async ({ set, device }) => {
      const points = await pinnedPoints(parts, device === undefined ? { set } : { set, device });
      return {
        points: points.map(({ point, isPinned }) => ({
          restorePoint: point.restore_point,
          backupId: point.backup_id,
          files: point.files,
          bytes: point.bytes,
          isPinned,
        })),
      };
    },
    'restore.sources': async () => {
      const all = await sources(parts);
      if (all.length > 0) browser.warm();
      return { sources: [...all] };
    },
    'restore.open': async (input) => ({ listing: await browser.open(input) }),
    'restore.rows': (input) => browser.rows(input),
    'restore.find': async (input) => ({ entries: await browser.find(input) }),
    'restore.plan': async (request) => {
      const options = await optionsOf(request);
      const { filesRestored, bytesWritten, conflicts, conflictsTotal } = await plan(options);
      const space = await spaceAt(options.to);
      return {
        files: filesRestored,
        bytes: bytesWritten,
        conflicts: [...conflicts],
        conflictsTotal,
        freeBytes: space?.free,
      };
    },
    'restore.start': async (request) => {
      const options = await optionsOf(request);
      // A run that something else stands in the way of is none to look at the target for.
      if (request.conflict === undefined && runs.busySet === undefined)
        throwForConflicts(options.to, await plan(options));
      later.forget();
      return { run: (await begin(request.set, options)).id };
    },
    'restore.later': async (request) => {
      const options = await optionsOf(request);
      later.put({ request, begin: () => begin(request.set, options) });
      return {};
    },
    'restore.waiting': () => {
      const { request, failure } = later;
      return { ...(request ? { request } : {}), ...(failure ? { failure } : {}) };
    },
    'restore.forget': () => {
      later.forget();
      return {};
    },
  };
}

/** @throws HoldfastError `target_conflict` with details `{target, conflicts, total}` */
function throwForConflicts(target: string, { conflicts, conflictsTotal: total }: RestoreReport): void {
  if (total > 0) throw new HoldfastError('target_conflict', { target, conflicts, total });
}
