import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { entrySelection } from '../../../model/restore-request.ts';
import { destinationId } from '../../../model/destination.ts';

/** What an archive is made of. */
const exportRequest = entrySelection.extend({ destination: destinationId.optional() });

/** The calls of the main process that open restore points outside of the window. */
export const exportShellMethods = {
  /**
   * Asks where, and begins to write an archive there, as a run; `run` is missing if the person cancels it. Its ending decides on the
   * format. Fails as `restore.start`.
   */
  'shell.export': method(
    exportRequest.extend({
      /** The proposed name, without an ending. */
      name: z.string().min(1).max(200),
    }),
    z.object({ run: z.int().optional() }),
  ),
  /** Shows a restore point that is mounted in the system's file manager. Fails as `mounts.folder`. */
  'shell.open-mount': method(z.object({ mount: z.int(), restorePoint: z.string() }), z.object({})),
} as const;

/** The method of the agent for the main process alone: the person has chosen the file in a dialog of the system. */
export const privateExportMethods = {
  /** `replaces` if the person has agreed to replace an existing file. Fails with `home_busy`. */
  'restore.export': method(
    exportRequest.extend({ file: z.string().min(1), format: z.enum(['tar', 'zip']), replaces: z.boolean() }),
    z.object({ run: z.int() }),
  ),
} as const;
