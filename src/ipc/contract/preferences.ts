import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** What a person chose for the program as a whole, on this computer. */
export const preferences = z.object({
  language: z.enum(['system', 'en', 'de', 'pseudo']),
  appearance: z.enum(['system', 'light', 'dark']),
  startAtLogin: z.boolean(),
  /** The computer does not go to sleep while a run goes on. */
  keepAwake: z.boolean(),
  notifications: z.object({
    failures: z.boolean(),
    /** Days without a backup after which a person is told; 0 for never. */
    noBackupDays: z.int().min(0).max(365),
    restores: z.boolean(),
  }),
  /** For all sets; a set's own come first. KiB a second. */
  uploadKiB: z.int().min(1).optional(),
  downloadKiB: z.int().min(1).optional(),
});
export type Preferences = Readonly<z.infer<typeof preferences>>;

export const DEFAULT_PREFERENCES: Preferences = {
  language: 'system',
  appearance: 'system',
  startAtLogin: false,
  keepAwake: true,
  notifications: { failures: true, noBackupDays: 3, restores: true },
};

export const preferenceMethods = {
  /** Saves all of them; they come back with the state. */
  'preferences.save': method(z.object({ preferences }), z.object({})),
} as const;
