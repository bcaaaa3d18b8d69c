import { resolve } from 'node:path';
import type { RestoreProgress } from '../../engine/job/progress.ts';
import type { TransferLimits } from '../../engine/transfer/limited-http.ts';
import type { Handlers } from '../../ipc/method.ts';
import type { RestoreRequest, restoreMethods } from '../../ipc/restore.ts';
import type { RestoreOptions } from '../agent.ts';
import { pointInTime } from '../point-in-time.ts';
import { pinnedPoints, sources } from '../run/browse-questions.ts';
import type { HostParts } from './host-parts.ts';
import { spaceAt } from './places/places.ts';
import { RestoreBrowser } from './restore-browser.ts';

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
  const browser = new RestoreBrowser(host);

  const optionsOf = async (request: RestoreRequest): Promise<RestoreOptions> => {
    const { set, device, restorePoint, paths, to, conflict } = request;
    return {
      set,
      at: await pointInTime(restorePoint, clock.now()),
      paths,
      to: resolve(to),
      ...limits(set),
      ...(device === undefined ? {} : { device }),
      ...(conflict === undefined ? {} : { conflict }),
    };
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
    'restore.sources': async () => ({ sources: [...(await sources(parts))] }),
    'restore.open': async (input) => ({ listing: await browser.open(input) }),
    'restore.rows': (input) => browser.rows(input),
    'restore.plan': async (request) => {
      const options = await optionsOf(request);
      const report = await agent.restore({ ...options, dryRun: true }, {});
      const space = await spaceAt(options.to);
      return {
        files: report.filesRestored,
        bytes: report.bytesWritten,
        conflicts: [...report.conflicts],
        freeBytes: space?.free,
      };
    },
    'restore.start': async (request) => {
      const options = await optionsOf(request);
      const run = { kind: 'restore', set: request.set, trigger: 'person' } as const;
      const { id } = await runs.start<RestoreProgress>(run, (given) => agent.restore(options, given));
      return { run: id };
    },
  };
}
