import { HoldfastError } from '../../base/errors/errors.ts';
import type { Settings } from '../home/settings.ts';
import { keyRingIn, type KeyStore, type Secrets } from './key-store.ts';

/** Loads the secrets of a home that is set up. @throws HoldfastError `home_damaged` if they are missing or of another home */
export async function requireSecrets(keyStore: KeyStore, settings: Settings): Promise<Secrets> {
  const { deriveKeys } = await import('../../format/crypto/keys.ts');
  const secrets = await keyStore.load();
  if (!secrets) throw damagedSecrets(keyStore, 'missing');
  // The settings follow the secrets: they may state the key before.
  if (!deriveKeys(keyRingIn(secrets)).ids.includes(settings.keyId)) throw damagedSecrets(keyStore, 'other-key');
  return secrets;
}

export function damagedSecrets({ location }: KeyStore, problem: string): HoldfastError {
  return new HoldfastError('home_damaged', { file: location, problem });
}
