import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** The person's choices for the whole program on this computer. */
export const preferences = z.object({
  language: z.enum(['system', 'en', 'de', 'fr', 'es', 'ja', 'ar', 'pseudo']),
  appearance: z.enum(['system', 'light', 'dark']),
  startAtLogin: z.boolean(),
  /** Adds “Restore previous versions…” to the menus of file managers, where the system allows. */
  fileManagers: z.boolean(),
  /** Keeps the computer awake during a run. */
  keepAwake: z.boolean(),
  /** Looks for updates of the program, where it updates itself. */
  updates: z.boolean(),
  notifications: z.object({
    failures: z.boolean(),
    /** Days without a backup after which the person is notified; 0 for never. */
    noBackupDays: z.int().min(0).max(365),
    restores: z.boolean(),
  }),
  /** How the Restore view shows a folder; as a list by default. */
  folderView: z.enum(['list', 'grid']).optional(),
  /** Apply to all sets; a set's own limits take precedence. KiB per second. */
  uploadKiB: z.int().min(1).optional(),
  downloadKiB: z.int().min(1).optional(),
  /** The start of the restore whose offer to undo it was dismissed, in milliseconds since the epoch. */
  dismissedUndo: z.number().optional(),
  /** The run of the resumed restore whose result was dismissed. */
  dismissedRestore: z.int().optional(),
});
export type Preferences = Readonly<z.infer<typeof preferences>>;

export const DEFAULT_PREFERENCES: Preferences = {
  language: 'system',
  appearance: 'system',
  startAtLogin: false,
  fileManagers: false,
  keepAwake: true,
  updates: true,
  notifications: { failures: true, noBackupDays: 3, restores: true },
};

export const preferenceMethods = {
  /** Saves all preferences; the next state contains them. */
  'preferences.save': method(z.object({ preferences }), z.object({})),
} as const;
