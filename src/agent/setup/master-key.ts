import { createEnvelope, envelopeFits, openEnvelope } from '../../engine/crypto/key-envelope.ts';
import { deriveKeys, newMasterKey, type MasterKey } from '../../engine/crypto/keys.ts';
import { HoldfastError } from '../../base/errors.ts';
import type { StoredEnvelope } from '../destination/account-keys.ts';
import type { Secrets } from '../key-store/key-store.ts';

/** The key material that a person provides. */
export interface KeyChoice {
  /** From a recovery phrase. */
  readonly master: MasterKey | undefined;
  readonly passphrase: string | undefined;
  /** The envelope of this master key so far. A new destination gets the same one, and so keeps its passphrase. */
  readonly envelope?: Uint8Array;
}

/** The existing backups of a destination. */
export interface AccountState {
  readonly hasBackups: boolean;
  /** Empty if there are no backups, or another program created them. */
  readonly envelopes: readonly StoredEnvelope[];
}

export type KeySecrets = Pick<Secrets, 'masterKey' | 'keyEnvelope'>;

/**
 * Chooses the master key of a new home: the account's own if it has backups, else a new one. A second key in an account
 * would produce backups that nobody can open.
 *
 * @throws HoldfastError `phrase_needed`, `phrase_other_account`, `passphrase_wrong`
 */
export async function chooseMasterKey(choice: KeyChoice, account: AccountState): Promise<KeySecrets> {
  const { master, passphrase } = choice;
  if (master) return adoptByPhrase(master, choice, account);
  if (account.hasBackups) return adoptByPassphrase(passphrase, account);
  const masterKey = newMasterKey();
  return { masterKey, keyEnvelope: await createEnvelope(masterKey, { passphrase }) };
}

async function adoptByPhrase(
  masterKey: MasterKey,
  { passphrase, envelope }: KeyChoice,
  { envelopes }: AccountState,
): Promise<KeySecrets> {
  const keys = deriveKeys(masterKey);
  if (envelopes.some((stored) => !envelopeFits(stored.envelope, keys))) throw new HoldfastError('phrase_other_account');
  // Keeping the account's envelope keeps its passphrase.
  const kept = passphrase === undefined ? (envelopes[0]?.bytes ?? envelope) : undefined;
  return { masterKey, keyEnvelope: kept ?? (await createEnvelope(masterKey, { passphrase })) };
}

async function adoptByPassphrase(passphrase: string | undefined, { envelopes }: AccountState): Promise<KeySecrets> {
  const stored = envelopes.find(({ envelope }) => envelope.slots.length > 0);
  if (passphrase === undefined || !stored) throw new HoldfastError('phrase_needed');
  return { masterKey: await openEnvelope(stored.envelope, passphrase), keyEnvelope: stored.bytes };
}
