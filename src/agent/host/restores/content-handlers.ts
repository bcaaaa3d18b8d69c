import pLimit from 'p-limit';
import type { Handlers } from '../../../base/calls/contract.ts';
import type { privateContentMethods } from '../../../ipc/contract/restore/preview.ts';
import { pointInTime } from '../../input/point-in-time.ts';
import { requireStoredSettings } from '../../home/settings.ts';
import type { HandlerContext } from '../handler-context.ts';
import { readFileOnDisk } from './files-on-disk.ts';

/** Files that are read at a time, each of which is in memory: two versions to compare, and two pictures for thumbnails. */
const AT_A_TIME = 4;

/** Handles reading single files for the preview. */
export function contentHandlers({
  agent,
  home,
  clock,
}: Pick<HandlerContext, 'agent' | 'home' | 'clock'>): Handlers<typeof privateContentMethods> {
  const limit = pLimit(AT_A_TIME);
  return {
    'content.read': ({ file: { set, device, destination, restorePoint, path }, isOnDisk = false, most }) =>
      limit(async () => {
        if (isOnDisk) return readFileOnDisk(requireStoredSettings(home), path, most);
        const at = await pointInTime(restorePoint, clock.now());
        return agent.at(destination).readContent({ set, ...(device === undefined ? {} : { device }), at, path, most });
      }),
  };
}
