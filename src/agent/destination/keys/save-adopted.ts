import { keyIdOf } from '../../../format/crypto/keys.ts';
import type { Home } from '../../home/home.ts';
import { loadStoredSettings, updateStoredSettings } from '../../home/settings.ts';
import { accountSecretsIn, type KeyStore, type Secrets } from '../../key-store/key-store.ts';

/** Saves a key that was taken over. The phrase that was written down opens only what was stored before. */
export async function saveAdopted(
  adopted: Secrets,
  before: Secrets,
  { home, keyStore }: { readonly home: Home; readonly keyStore: KeyStore },
): Promise<void> {
  const isNew = adopted.epoch !== before.epoch;
  if (isNew) {
    const { rememberWriters } = await import('./known-writers.ts');
    // The destination that brought the key has it already.
    await rememberWriters(home, keyStore, loadStoredSettings(home)?.destinations ?? []);
  }
  await keyStore.saveKeys(accountSecretsIn(adopted), adopted.keyEnvelope);
  if (!isNew) return;
  const keyId = keyIdOf(adopted.masterKey);
  updateStoredSettings(home, (settings) => ({ ...settings, keyId, phraseConfirmed: false }));
}
