import { newDeviceKey } from '../../format/crypto/device-key.ts';
import {
  createEnvelope,
  encodeEnvelope,
  envelopeFits,
  isProvenBy,
  isSealedBy,
  passwordSlotsOf,
  readEnvelope,
  ringOf,
  type EnvelopeContent,
} from '../../format/crypto/key-envelope.ts';
import { openOneOf } from '../../format/crypto/open-envelope.ts';
import {
  deriveKeys,
  firstEpoch,
  keyIdOf,
  newMasterKey,
  type KeyRing,
  type MasterKey,
} from '../../format/crypto/keys.ts';
import { passwordSlotOf } from '../../format/crypto/password-slot.ts';
import type { Argon2idCost } from '../../base/crypto/argon2id.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { normalisedCode } from '../../format/crypto/recovery-phrase.ts';
import type { StoredEnvelope } from '../destination/keys/account-keys.ts';
import { keyRingIn, type AccountSecrets, type Secrets } from '../key-store/key-store.ts';

/** The key material that a person provides. */
export interface KeyChoice {
  /** From a recovery phrase. */
  readonly master: MasterKey | undefined;
  readonly passphrase: string | undefined;
  /** A one-time code that another computer shows. */
  readonly code?: string | undefined;
  /** The envelope of this master key so far. A new destination gets the same one, and so keeps its passphrase. */
  readonly envelope?: Uint8Array;
  /** The keys of this home, if it has any: those of another destination are the same. */
  readonly account?: AccountSecrets;
  /** The cost of the passphrase of new keys. Lowered by tests only. */
  readonly cost?: Argon2idCost | undefined;
  /** What a set-up that was killed left in this home. Nobody else has its key. */
  readonly left?: Secrets | undefined;
}

/** The existing backups of a destination. */
export interface AccountState {
  readonly hasBackups: boolean;
  /** Empty if there are no backups, or another program created them. */
  readonly envelopes: readonly StoredEnvelope[];
  /** By the clock of this computer, in milliseconds since the epoch. */
  readonly now?: number;
}

export type KeySecrets = AccountSecrets & Pick<Secrets, 'keyEnvelope'>;

/**
 * Chooses the master key of a new home: the account's own if it has backups, else a new one. A second key in an account
 * would produce backups that nobody can open.
 *
 * @throws HoldfastError `phrase_needed`, `phrase_other_account`, `passphrase_wrong`, `key_code_wrong`
 */
export async function chooseMasterKey(choice: KeyChoice, account: AccountState): Promise<KeySecrets> {
  const { master, passphrase, code, cost, left } = choice;
  if (code !== undefined) return adoptByCode(code, account);
  if (master) return adoptByPhrase(master, choice, account);
  const own = left && account.envelopes.find(({ envelope }) => isSealedBy(envelope, left.masterKey));
  if (left && own) {
    if (passphrase === undefined) return ownKeys(keyRingIn(left), own.bytes, left);
    const isNew = passwordSlotsOf(own.envelope, 'passphrase').length === 0;
    if (isNew) return ownKeys(keyRingIn(left), await createEnvelope(left.masterKey, { passphrase, cost }), left);
  }
  if (account.hasBackups) return adoptByPassphrase(passphrase, account);
  const masterKey = left?.masterKey ?? newMasterKey();
  return ownKeys(firstEpoch(masterKey), await createEnvelope(masterKey, { passphrase, cost }));
}

async function adoptByPhrase(
  masterKey: MasterKey,
  { passphrase, cost, envelope, account }: KeyChoice,
  { envelopes }: AccountState,
): Promise<KeySecrets> {
  const keys = deriveKeys(account ? keyRingIn(account) : masterKey);
  const own = envelopes.filter((stored) => envelopeFits(stored.envelope, keys));
  if (envelopes.length > 0 && own.length === 0) return ofEarlierEpoch(masterKey, envelopes);
  const found = own
    .filter((stored) => isSealedBy(stored.envelope, masterKey))
    .toSorted((a, b) => b.envelope.earlier.length - a.envelope.earlier.length)[0];
  const ring = account ? keyRingIn(account) : found ? ringOf(found.envelope, masterKey) : firstEpoch(masterKey);
  // Keeping the account's envelope keeps its passphrase.
  const kept = passphrase === undefined ? (found?.bytes ?? own[0]?.bytes ?? elsewhere(envelope, ring)) : undefined;
  return ownKeys(ring, kept ?? (await withPassphrase(ring, found?.envelope, { passphrase, cost })), account);
}

/** Takes a key that was replaced, and of which no envelope is left. @throws HoldfastError `phrase_other_account` */
function ofEarlierEpoch(master: MasterKey, envelopes: readonly StoredEnvelope[]): KeySecrets {
  const keyId = keyIdOf(master);
  const epoch = envelopes.flatMap(({ envelope }) => envelope.earlier).find((key) => key.keyId === keyId)?.epoch;
  if (epoch === undefined) throw new HoldfastError('phrase_other_account');
  const ring: KeyRing = [{ epoch, master }];
  return ownKeys(ring, encodeEnvelope({ ...NO_CONTENT, epoch, keyId }, ring));
}

const NO_CONTENT = {
  since: 0,
  after: undefined,
  author: undefined,
  slots: [],
  earlier: [],
  revoked: [],
  writers: new Map(),
};

async function adoptByPassphrase(passphrase: string | undefined, { envelopes }: AccountState): Promise<KeySecrets> {
  const closed = newestFirst(envelopes.filter(({ envelope }) => passwordSlotsOf(envelope, 'passphrase').length > 0));
  if (passphrase === undefined || closed.length === 0) throw new HoldfastError('phrase_needed');
  const { opened, master } = await openOneOf(closed, passphrase);
  // Anybody can put an envelope there that says it is newer. Only who has the key can have replaced it: its passphrase then counts no more.
  const hasNewer = closed.some(({ envelope }) => envelope.epoch > opened.envelope.epoch);
  const isReplaced = envelopes.some(({ envelope }) => isProvenBy(envelope, master));
  if (hasNewer && isReplaced) throw new HoldfastError('passphrase_wrong');
  return ownKeys(ringOf(opened.envelope, master), opened.bytes);
}

/** @throws HoldfastError `key_code_wrong` */
async function adoptByCode(code: string, { envelopes, now = 0 }: AccountState): Promise<KeySecrets> {
  const valid = envelopes.filter(({ envelope }) =>
    passwordSlotsOf(envelope, 'code').some(({ expires = 0 }) => expires > now),
  );
  const found =
    valid.length === 0 ? undefined : await openOneOf(valid, normalisedCode(code), 'code').catch(asWrongCode);
  if (!found) throw new HoldfastError('key_code_wrong', {});
  return ownKeys(ringOf(found.opened.envelope, found.master), found.opened.bytes);
}

function asWrongCode(error: unknown): undefined {
  if (!isHoldfastError(error, 'passphrase_wrong')) throw error;
}

/** The keys of a home. One that has none yet gets a key pair, to which others seal new keys. */
function ownKeys([current, ...earlierKeys]: KeyRing, keyEnvelope: Uint8Array, account?: AccountSecrets): KeySecrets {
  return {
    masterKey: current.master,
    ...(current.epoch > 1 && { epoch: current.epoch }),
    ...(earlierKeys.length > 0 && { earlierKeys }),
    deviceSecret: account?.deviceSecret ?? newDeviceKey().secret,
    ...(account?.revoked && { revoked: account.revoked }),
    keyEnvelope,
  };
}

/** The envelope for another destination, which has other writers. */
function elsewhere(envelope: Uint8Array | undefined, ring: KeyRing): Uint8Array | undefined {
  if (!envelope || ring[0].epoch === 1) return envelope;
  return encodeEnvelope({ ...readEnvelope(envelope), writers: new Map() }, ring);
}

async function withPassphrase(
  ring: KeyRing,
  before: EnvelopeContent | undefined,
  { passphrase, cost }: Pick<KeyChoice, 'passphrase' | 'cost'>,
): Promise<Uint8Array> {
  const [{ master }] = ring;
  if (!before || passphrase === undefined) return await createEnvelope(master, { passphrase, cost });
  const slots = before.slots.filter(({ kind }) => kind === 'device');
  return encodeEnvelope({ ...before, slots: [await passwordSlotOf(master, passphrase, { cost }), ...slots] }, ring);
}

/** By what they say themselves. */
function newestFirst(envelopes: readonly StoredEnvelope[]): readonly StoredEnvelope[] {
  return envelopes.toSorted((a, b) => b.envelope.epoch - a.envelope.epoch);
}
