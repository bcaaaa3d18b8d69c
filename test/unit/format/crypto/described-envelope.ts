import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { argon2id } from 'hash-wasm';

/** Creates a slot as the format describes it, without Holdfast's code and with a low cost, which is stored in the slot. */
export async function cheapSlot(
  master: Uint8Array,
  passphrase: string,
  { keyId, more = {} }: { readonly keyId: string; readonly more?: object },
): Promise<object> {
  const salt = randomBytes(16);
  const cost = { memorySize: 64, iterations: 1, parallelism: 1, hashLength: 32 };
  const key = await argon2id({ ...cost, password: passphrase, salt, outputType: 'binary' });
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(`holdfast/v1/slot/${keyId}`));
  const sealed = Buffer.concat([iv, cipher.update(master), cipher.final(), cipher.getAuthTag()]).toString('base64');
  const described = { kind: 'passphrase', kdf: 'argon2id', memory_kib: 64, iterations: 1, parallelism: 1 };
  return { ...described, salt: salt.toString('base64'), sealed, ...more };
}

/** The fields of an envelope of the first epoch, but for its key and slots. */
export const emptyBody = {
  version: 1,
  epoch: 1,
  since: 0,
  after: null,
  author: null,
  earlier: [],
  revoked: [],
  writers: {},
};

/** Encodes an envelope as the format describes it, without Holdfast's code. */
export function encodedEnvelope(body: object, master: Uint8Array): Buffer {
  const text = JSON.stringify(body);
  const key = Buffer.from(hkdfSync('sha256', master, '', 'holdfast/v1/envelope', 32));
  const mac = createHmac('sha256', key).update(`holdfast/v1/envelope\n${text}`).digest('hex');
  return Buffer.from(`{"envelope":${text},"mac":"${mac}"}`);
}
