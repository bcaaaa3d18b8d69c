import { randomBytes } from 'node:crypto';
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
});

/** The content of `holdfast.json`: what a repository says of itself before it is opened. */
export interface RepositoryDescription {
  /** 32 hex digits. */
  readonly id: string;
  /** `Keys.id` of its master key. */
  readonly keyId: string;
}

/** @param now milliseconds since the epoch */
export function newDescription(keyId: string, now: number): RepositoryDescription & { readonly bytes: Buffer } {
  const id = randomBytes(16).toString('hex');
  const created = new Date(now).toISOString();
  const json = { format: FORMAT, version: VERSION, id, key_id: keyId, created } satisfies z.infer<typeof form>;
  return { id, keyId, bytes: Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`) };
}

/** @throws DamagedFileError `content`, or `newer-version` */
export function parseDescription(bytes: Uint8Array): RepositoryDescription {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new DamagedFileError(DESCRIPTION_FILE, 'content', cause);
  }
  const parsed = form.safeParse(value);
  if (parsed.success) return { id: parsed.data.id, keyId: parsed.data.key_id };
  const newer = z.object({ format: z.literal(FORMAT), version: z.int().min(VERSION + 1) }).safeParse(value).success;
  throw new DamagedFileError(DESCRIPTION_FILE, newer ? 'newer-version' : 'content', parsed.error);
}
