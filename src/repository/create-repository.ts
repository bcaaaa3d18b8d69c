import type { Clock } from '../base/clock.ts';
import { HoldfastError } from '../base/errors.ts';
import { readEnvelope } from '../engine/crypto/key-envelope.ts';
import { DamagedFileError } from './format/damage.ts';
import { newDescription, parseDescription, type RepositoryDescription } from './format/description.ts';
import { DESCRIPTION_FILE, hashOf, keyHashIn, keyName, KEYS_FOLDER } from './format/file-names.ts';
import type { Storage } from './storage/storage.ts';

/** The largest key envelope that is read. */
const LARGEST_ENVELOPE_BYTES = 64 * 1024;

/** A repository before it is opened. */
export interface FoundRepository {
  readonly description: RepositoryDescription;
  /** Bytes of its key envelopes; those that are damaged or of another key are left out. */
  readonly envelopes: readonly Uint8Array[];
}

/**
 * Reads what a repository says of itself. Returns `undefined` if there is none.
 *
 * @throws HoldfastError `usage` `destination-foreign` if `holdfast.json` is not of Holdfast, `destination-newer`; what the
 *   storage throws
 */
export async function findRepository(storage: Storage, signal?: AbortSignal): Promise<FoundRepository | undefined> {
  const bytes = await storage.get(DESCRIPTION_FILE, undefined, signal);
  if (!bytes) return undefined;
  const description = describe(storage, bytes);
  const envelopes: Uint8Array[] = [];
  for await (const batch of storage.list(KEYS_FOLDER, signal)) {
    for (const { name, bytes: size } of batch) {
      if (size > LARGEST_ENVELOPE_BYTES) continue;
      const envelope = await readKey(storage, name, signal);
      if (envelope && keyIdOf(envelope) === description.keyId) envelopes.push(envelope);
    }
  }
  return { description, envelopes };
}

/**
 * Creates a repository, or finds the one that another computer created meanwhile.
 *
 * @param keyEnvelope identifies the key, and opens it for those who know its passphrase
 * @throws as `findRepository`
 */
export async function createRepository(
  storage: Storage,
  { keyId, keyEnvelope, clock }: { readonly keyId: string; readonly keyEnvelope: Uint8Array; readonly clock: Clock },
  signal?: AbortSignal,
): Promise<FoundRepository> {
  // The description comes last: it makes the rest count.
  await storage.put(keyName(hashOf(keyEnvelope)), [keyEnvelope], signal);
  const { bytes } = newDescription(keyId, clock.now());
  await storage.put(DESCRIPTION_FILE, [bytes], signal);
  const found = await findRepository(storage, signal);
  if (!found) throw new HoldfastError('destination_missing', { directory: storage.address });
  return found;
}

function describe(storage: Storage, bytes: Uint8Array): RepositoryDescription {
  try {
    return parseDescription(bytes);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const problem = error.problem === 'newer-version' ? 'destination-newer' : 'destination-foreign';
    throw new HoldfastError('usage', { problem, directory: storage.address }, { cause: error });
  }
}

async function readKey(storage: Storage, name: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  const hash = keyHashIn(name);
  const bytes = hash === undefined ? undefined : await storage.get(name, undefined, signal);
  return bytes && hashOf(bytes) === hash ? bytes : undefined;
}

function keyIdOf(envelope: Uint8Array): string | undefined {
  try {
    return readEnvelope(envelope).keyId;
  } catch {
    return undefined;
  }
}
