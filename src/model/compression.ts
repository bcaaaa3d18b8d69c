// Without a schema: the command line names the levels before it loads any.

/** How hard a backup tries to make chunks smaller before it seals them; `off` stores them as they are. */
export const COMPRESSIONS = ['off', 'fast', 'default', 'max'] as const;
export type Compression = (typeof COMPRESSIONS)[number];
