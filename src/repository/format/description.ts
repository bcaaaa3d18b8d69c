import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { DamagedFileError } from './damage.ts';
import { DESCRIPTION_FILE } from './file-names.ts';

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
});
type Form = z.infer<typeof form>;

/** The content of `holdfast.json` and of its copy: what a repository says of itself before it is opened. */
export interface RepositoryDescription {
  /** 32 hex digits. */
  readonly id: string;
  /** `Keys.id` of its master key. */
  readonly keyId: string;
}

/** @param now milliseconds since the epoch */
export function newDescription(keyId: string, now: number): RepositoryDescription & { readonly bytes: Buffer } {
  return encodeDescription({ id: randomBytes(16).toString('hex'), keyId }, now);
}

/** Encodes a description anew, for a repository that lost it. */
export function encodeDescription(
  { id, keyId }: RepositoryDescription,
  now: number,
): RepositoryDescription & { readonly bytes: Buffer } {
  const facts = { format: FORMAT, version: VERSION, id, key_id: keyId, created: new Date(now).toISOString() } as const;
  const json = { ...facts, check: checkOf(facts) } satisfies Form;
  return { id, keyId, bytes: Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`) };
}

/** A damaged digit of an id would make it another repository's. */
function checkOf({ format, version, id, key_id, created }: Omit<Form, 'check'>): string {
  return hash('sha256', [format, version, id, key_id, created].join('\n'), 'hex').slice(0, 32);
}

/** @throws DamagedFileError `content`, `hash`, or `newer-version` */
export function parseDescription(bytes: Uint8Array, file = DESCRIPTION_FILE): RepositoryDescription {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new DamagedFileError(file, 'content', cause);
  }
  const parsed = form.safeParse(value);
  if (parsed.success) {
    if (checkOf(parsed.data) !== parsed.data.check) throw new DamagedFileError(file, 'hash');
    return { id: parsed.data.id, keyId: parsed.data.key_id };
  }
  const newer = z.object({ format: z.literal(FORMAT), version: z.int().min(VERSION + 1) }).safeParse(value).success;
  throw new DamagedFileError(file, newer ? 'newer-version' : 'content', parsed.error);
}
