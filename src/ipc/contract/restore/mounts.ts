import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { destinationId } from '../../../model/destination.ts';
import { mountState } from '../../home-state.ts';
import { setName } from '../../../model/set.ts';

export const mountMethods = {
  /**
   * Shows the restore points of a set as a read-only file system, until `mounts.end` or the end of the program; returns the same if it is
   * shown already. Fails with `mount_failed`, and what reading the set fails with.
   */
  'mounts.begin': method(
    z.object({ set: setName, device: z.string().optional(), destination: destinationId.optional() }),
    z.object({ mount: mountState }),
  ),
  /** Ends it once no program uses it any more; with `detaches` at once, so that programs that use it get errors. */
  'mounts.end': method(z.object({ id: z.int(), detaches: z.boolean().optional() }), z.object({})),
} as const;

/** The method of the agent for the main process alone. */
export const privateMountMethods = {
  /** Returns the folder of a restore point in a mount. Fails with `refused` (`listing-closed`). */
  'mounts.folder': method(z.object({ id: z.int(), restorePoint: z.iso.datetime() }), z.object({ folder: z.string() })),
} as const;
