import { z } from 'zod';

/** What the process beside ours is asked to do with one entry of the system's keychain. */
export const keychainRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('get'), account: z.string() }),
  z.object({ kind: z.literal('set'), account: z.string(), secret: z.string() }),
  z.object({ kind: z.literal('delete'), account: z.string() }),
]);
export type KeychainRequest = Readonly<z.infer<typeof keychainRequest>>;

export const keychainAnswer = z.discriminatedUnion('ok', [
  /** Base64; nothing where there is no such entry, and for what answers nothing. */
  z.object({ ok: z.literal(true), secret: z.string().optional() }),
  z.object({ ok: z.literal(false), problem: z.string() }),
]);
export type KeychainAnswer = Readonly<z.infer<typeof keychainAnswer>>;
