import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { DamagedFileError } from './damage.ts';
import { DESCRIPTION_FILE } from './file-names.ts';
import { deriveKeys, type MasterKey } from '../../engine/crypto/keys.ts';
import { deriveRepositoryKeys } from './keys.ts';

const FORMAT = 'holdfast-repository';
const VERSION = 1;

const hexId = z.string().regex(/^[0-9a-f]{32}$/);
const form = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  id: hexId,
  key_id: hexId,
  created: z.iso.datetime(),
  check: hexId,
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});
type Form = z.infer<typeof form>;
type Facts = Omit<Form, 'check' | 'mac'>;

/** The content of `holdfast.json` and of its copy: what a repository says of itself before it is opened. */
export interface RepositoryDescription {
  /** 32 hex digits. */
  readonly id: string;
  /** `Keys.id` of its master key. */
  readonly keyId: string;
}

/** @param now milliseconds since the epoch */
export function newDescription(master: MasterKey, now: number): RepositoryDescription & { readonly bytes: Buffer } {
  return encodeDescription(randomBytes(16).toString('hex'), master, now);
}

/** Encodes a description anew, for a repository that lost it. */
export function encodeDescription(
  id: string,
  master: MasterKey,
  now: number,
): RepositoryDescription & { readonly bytes: Buffer } {
  return encodeWith(id, { keyId: deriveKeys(master).id, macKey: deriveRepositoryKeys(master).description }, now);
}

/** Keys of a description. */
export interface DescriptionKeys {
  /** `Keys.id` */
  readonly keyId: string;
  /** `RepositoryKeys.description` */
  readonly macKey: Uint8Array;
}

export function encodeWith(
  id: string,
  { keyId, macKey }: DescriptionKeys,
  now: number,
): RepositoryDescription & { readonly bytes: Buffer } {
  const facts = { format: FORMAT, version: VERSION, id, key_id: keyId, created: new Date(now).toISOString() } as const;
  const json = { ...facts, check: checkOf(facts), mac: macOf(facts, macKey).toString('hex') } satisfies Form;
  return { id, keyId, bytes: Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`) };
}

/** A damaged digit of an id would make it another repository's. */
function checkOf({ format, version, id, key_id, created }: Facts): string {
  return hash('sha256', [format, version, id, key_id, created].join('\n'), 'hex').slice(0, 32);
}

/** Without it, whoever can write to the store could put another id in the place of the repository's. */
function macOf({ format, version, id, key_id, created }: Facts, key: Uint8Array): Buffer {
  const text = ['holdfast/v1/description', format, version, id, key_id, created].join('\n');
  return createHmac('sha256', key).update(text).digest();
}

/**
 * Parses a description. With keys it has to be proven by them, unless it states that it is of another key.
 *
 * @throws DamagedFileError `content`, `hash`, `sealed` or `newer-version`
 */
export function parseDescription(
  bytes: Uint8Array,
  file = DESCRIPTION_FILE,
  keys?: DescriptionKeys,
): RepositoryDescription {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new DamagedFileError(file, 'content', cause);
  }
  const parsed = form.safeParse(value);
  if (parsed.success) {
    if (checkOf(parsed.data) !== parsed.data.check) throw new DamagedFileError(file, 'hash');
    const { key_id: keyId, mac } = parsed.data;
    const isProven = keys?.keyId !== keyId || timingSafeEqual(macOf(parsed.data, keys.macKey), Buffer.from(mac, 'hex'));
    if (!isProven) throw new DamagedFileError(file, 'sealed');
    return { id: parsed.data.id, keyId: parsed.data.key_id };
  }
  const newer = z.object({ format: z.literal(FORMAT), version: z.int().min(VERSION + 1) }).safeParse(value).success;
  throw new DamagedFileError(file, newer ? 'newer-version' : 'content', parsed.error);
}
