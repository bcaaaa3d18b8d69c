import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { DamagedFileError } from './damage.ts';
import { DESCRIPTION_FILE } from './file-names.ts';
import type { MasterKey } from '../crypto/keys.ts';
import { descriptionKeyOf, type DescriptionKey } from './keys.ts';

const FORMAT = 'holdfast-repository';
const VERSION = 1;

const hexId = z.string().regex(/^[0-9a-f]{32}$/);
const form = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  id: hexId,
  key_id: hexId,
  created: z.iso.datetime(),
  parity: z.int().min(0).max(100),
  check: hexId,
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});
type Form = z.infer<typeof form>;
type Facts = Omit<Form, 'check' | 'mac'>;

/** The content of `holdfast.json` and of its copy: what a repository says of itself before it is opened. */
export interface RepositoryDescription {
  /** 32 hex digits. */
  readonly id: string;
  /** `keyIdOf` the master key with which it was created. */
  readonly keyId: string;
  /** Bytes of parity for a hundred bytes of a pack; 0 if there is none. */
  readonly parity: number;
}

/** What a description states besides its key. */
export interface Described {
  /** 32 hex digits. */
  readonly id: string;
  readonly parity: number;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

export type EncodedDescription = RepositoryDescription & { readonly bytes: Buffer };

export function newDescription(master: MasterKey, described: Omit<Described, 'id'>): EncodedDescription {
  return encodeDescription(master, { ...described, id: randomBytes(16).toString('hex') });
}

/** Encodes a description anew, for a repository that lost it. */
export function encodeDescription(master: MasterKey, described: Described): EncodedDescription {
  return encodeWith(descriptionKeyOf(master), described);
}

export function encodeWith({ keyId, macKey }: DescriptionKey, { id, parity, created }: Described): EncodedDescription {
  const time = new Date(created).toISOString();
  const facts = { format: FORMAT, version: VERSION, id, key_id: keyId, created: time, parity } as const;
  const json = { ...facts, check: checkOf(facts), mac: macOf(facts, macKey).toString('hex') } satisfies Form;
  return { id, keyId, parity, bytes: Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`) };
}

/** A damaged digit of an id would make it another repository's. */
function checkOf(facts: Facts): string {
  return hash('sha256', textOf(facts), 'hex').slice(0, 32);
}

/** Without it, whoever can write to the store could put another id in the place of the repository's. */
function macOf(facts: Facts, key: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(`holdfast/v1/description\n${textOf(facts)}`)
    .digest();
}

function textOf({ format, version, id, key_id, created, parity }: Facts): string {
  return [format, version, id, key_id, created, parity].join('\n');
}

/**
 * Parses a description. It has to be proven by the key that it states, if that is among these.
 *
 * @throws DamagedFileError `content`, `hash`, `sealed` or `newer-version`
 */
export function parseDescription(
  bytes: Uint8Array,
  file = DESCRIPTION_FILE,
  keys: readonly DescriptionKey[] = [],
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
    const key = keys.find((candidate) => candidate.keyId === keyId);
    const isProven = !key || timingSafeEqual(macOf(parsed.data, key.macKey), Buffer.from(mac, 'hex'));
    if (!isProven) throw new DamagedFileError(file, 'sealed');
    return { id: parsed.data.id, keyId: parsed.data.key_id, parity: parsed.data.parity };
  }
  const newer = z.object({ format: z.literal(FORMAT), version: z.int().min(VERSION + 1) }).safeParse(value).success;
  throw new DamagedFileError(file, newer ? 'newer-version' : 'content', parsed.error);
}
