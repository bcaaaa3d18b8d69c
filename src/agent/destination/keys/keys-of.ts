import { admitsTree } from '../../../format/crypto/device-limits.ts';
import { deriveKeys, type Keys } from '../../../format/crypto/keys.ts';
import type { SettledKeys } from '../../../format/crypto/settle-keys.ts';
import { keyRingIn, type AccountSecrets } from '../../key-store/key-store.ts';

/** Derives the keys for a destination. They admit the trees that its key envelope lets count. */
export function keysOf(secrets: AccountSecrets, settled: Pick<SettledKeys, 'devices'> | undefined): Keys {
  const keys = deriveKeys(keyRingIn(secrets));
  const devices = settled?.devices;
  return devices ? { ...keys, admits: (tree) => admitsTree({ epoch: keys.epoch, devices }, tree) } : keys;
}
