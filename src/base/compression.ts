/** How hard a backup tries to make chunks smaller before it seals them; `off` stores them as they are. */
export const COMPRESSIONS = ['off', 'fast', 'default', 'max'] as const;
export type Compression = (typeof COMPRESSIONS)[number];
