import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** The calls of the process that accesses one entry of the system's keychain. Secrets are in base64. */
export const keychainCalls = {
  /** `secret` is missing if there is no such entry. */
  get: method(z.object({ account: z.string() }), z.object({ secret: z.string().optional() })),
  set: method(z.object({ account: z.string(), secret: z.string() }), z.object({})),
  delete: method(z.object({ account: z.string() }), z.object({})),
} as const;
export type KeychainCalls = typeof keychainCalls;
