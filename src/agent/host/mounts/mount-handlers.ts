import { join } from 'node:path';
import type { Handlers } from '../../../base/calls/contract.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { mountMethods, privateMountMethods } from '../../../ipc/contract/restore/mounts.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { Mounts } from './mounts.ts';

/** Handles the calls that open restore points for file managers. */
export function mountHandlers(mounts: Mounts): Handlers<typeof mountMethods & typeof privateMountMethods> {
  return {
    'mounts.begin': async (source) => ({ mount: await mounts.begin(source) }),
    'mounts.end': ({ id, detaches = false }) => {
      mounts.end(id, detaches);
      return {};
    },
    'mounts.folder': ({ id, restorePoint }) => {
      const mount = mounts.states.find((one) => one.id === id);
      if (!mount) throw new HoldfastError('refused', { problem: 'listing-closed' });
      return { folder: join(mount.folder, formatTimestamp(Date.parse(restorePoint))) };
    },
  };
}
