import type { EpochKeys } from '../../src/format/crypto/keys.ts';

/** The sub-keys of an account that never rotated. */
export function epochKeys(key: Uint8Array): EpochKeys {
  return [{ epoch: 1, key }];
}
