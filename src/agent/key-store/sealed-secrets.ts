import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonText } from '../../base/files/json-file.ts';
import { deriveKeys } from '../../format/crypto/keys.ts';
import { secretsForm, writtenSecrets, type StoredSecrets } from './secrets-form.ts';

/** The length of the key in the keychain. */
export const WRAPPING_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const base64 = z.base64();

/** The content of a secrets file that is sealed with a key in the system's keychain. */
export const sealedForm = z.object({
  version: z.literal(2),
  protection: z.literal('keychain'),
  /** The account name of the key in the keychain. */
  account: z.string().min(1),
  /** `Keys.id` of the sealed master key. */
  keyId: z.string().min(1),
  nonce: base64,
  /** AES-256-GCM, followed by its tag of 16 bytes. */
  sealed: base64,
});
export type SealedSecrets = Readonly<z.infer<typeof sealedForm>>;

/** @param key 32 bytes */
export function sealSecrets(secrets: StoredSecrets, key: Uint8Array, account: string): SealedSecrets {
  const keyId = deriveKeys(secrets.masterKey).id;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(account, keyId));
  const sealed = Buffer.concat([cipher.update(jsonText(writtenSecrets(secrets))), cipher.final(), cipher.getAuthTag()]);
  return {
    version: 2,
    protection: 'keychain',
    account,
    keyId,
    nonce: nonce.toString('base64'),
    sealed: sealed.toString('base64'),
  };
}

/** Throws if the key is wrong or the content was changed. */
export function openSecrets(form: SealedSecrets, key: Uint8Array): StoredSecrets {
  const sealed = Buffer.from(form.sealed, 'base64');
  const nonce = Buffer.from(form.nonce, 'base64');
  if (nonce.length !== NONCE_BYTES || sealed.length < TAG_BYTES) throw new RangeError('no sealed secrets');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(form.account, form.keyId));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  return secretsForm.parse(JSON.parse(text.toString('utf8')));
}

/** Binds sealed secrets to their account and key. */
function boundTo(account: string, keyId: string): Buffer {
  return Buffer.from(`holdfast/secrets/2\n${account}\n${keyId}`);
}
