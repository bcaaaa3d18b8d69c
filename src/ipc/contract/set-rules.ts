import { z } from 'zod';

// Apart from the methods, since every command reads settings and none of them needs those.

/** What has to hold before a scheduled run begins; nothing said means that it does not matter. */
export const conditions = z.object({
  /** On battery, only from this charge on; percent. */
  batteryAtLeast: z.int().min(1).max(100).optional(),
  /** Never on battery. */
  onlyOnMains: z.boolean().optional(),
  /** Not over a network that costs by volume. */
  notMetered: z.boolean().optional(),
  /** Only over networks (SSIDs) of these names. */
  networks: z.array(z.string().min(1)).optional(),
});
export type Conditions = Readonly<z.infer<typeof conditions>>;

/** What a run may take of the line and the processor. */
export const limits = z.object({
  /** KiB a second. */
  uploadKiB: z.int().min(1).optional(),
  downloadKiB: z.int().min(1).optional(),
  /** The limits of the line hold from and to these times of day, in minutes after midnight; always where it is missing. */
  hours: z.object({ from: z.int().min(0).max(1439), to: z.int().min(0).max(1439) }).optional(),
  priority: z.enum(['auto', 'low', 'normal']).optional(),
});
export type Limits = Readonly<z.infer<typeof limits>>;

/** How often what is stored is fetched and opened, and how much of it. */
export const verification = z.object({
  everyDays: z.int().min(1).max(365),
  samplePercent: z.int().min(1).max(100),
});
export type Verification = Readonly<z.infer<typeof verification>>;
