import type { Clock } from '../base/clock.ts';
import { HoldfastError } from '../base/errors/errors.ts';
import { LARGEST_ENVELOPE_BYTES, readEnvelope } from '../format/crypto/key-envelope.ts';
import type { KeyRing, MasterKey } from '../format/crypto/keys.ts';
import { DamagedFileError } from '../format/repository/damage.ts';
import { newDescription, parseDescription, type RepositoryDescription } from '../format/repository/description.ts';
import {
  DESCRIPTION_COPY,
  DESCRIPTION_FILE,
  hashOf,
  keyHashIn,
  keyName,
  KEYS_FOLDER,
  LEDGER_FOLDER,
} from '../format/repository/file-names.ts';
import { deriveRepositoryKeys } from '../format/repository/keys.ts';
import { foreignContent, looksLikeBackups } from '../storage/foreign-content.ts';
import type { Storage } from '../storage/storage.ts';
import { KIB } from '../model/units.ts';

/** A repository before it is opened. */
export interface FoundRepository {
  readonly description: RepositoryDescription;
  /** Bytes of its key envelopes, of all epochs; those that are damaged or of another account are left out. */
  readonly envelopes: readonly Uint8Array[];
  /** True if this call created it. */
  readonly isNew?: boolean;
}

/**
 * Reads what a repository says of itself. Returns `undefined` if there is none.
 *
 * @param masterKey if it is known, with those of earlier epochs: what says that it is of such a key has to be proven by it
 * @throws HoldfastError `usage` `destination-foreign` if neither `holdfast.json` nor its copy is of Holdfast, `destination-newer`;
 *   `destination_missing` `forged`, or `undescribed` if there are backups beside them; what the storage throws
 */
export async function findRepository(
  storage: Storage,
  signal?: AbortSignal,
  masterKey?: MasterKey | KeyRing,
): Promise<FoundRepository | undefined> {
  const description = await readDescription(storage, masterKey, signal);
  if (!description) return undefined;
  const envelopes: Uint8Array[] = [];
  for await (const batch of storage.list(KEYS_FOLDER, signal)) {
    for (const { name, bytes: size } of batch) {
      if (size > LARGEST_ENVELOPE_BYTES) continue;
      const envelope = await readKey(storage, name, signal);
      if (envelope && isOfAccount(envelope, description.keyId)) envelopes.push(envelope);
    }
  }
  return { description, envelopes };
}

/** Returns whether a repository has other key envelopes than the known ones, by one listing. */
export async function hasOtherEnvelopes(
  storage: Storage,
  known: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<boolean> {
  const names = new Set(known.map((bytes) => keyName(hashOf(bytes))));
  for await (const batch of storage.list(KEYS_FOLDER, signal)) {
    if (batch.some(({ name }) => keyHashIn(name) !== undefined && !names.has(name))) return true;
  }
  return false;
}

export interface NewRepository {
  readonly masterKey: MasterKey;
  /** Identifies the key, and opens it for those who know its passphrase. */
  readonly keyEnvelope: Uint8Array;
  readonly clock: Clock;
  /** Bytes of parity for a hundred bytes of a pack; none by default. */
  readonly parity?: number | undefined;
}

/**
 * Creates a repository, or finds the one that another computer created meanwhile. Leaves nothing behind if it fails.
 *
 * @throws as `findRepository`
 */
export async function createRepository(
  storage: Storage,
  { masterKey, keyEnvelope, clock, parity = 0 }: NewRepository,
  signal?: AbortSignal,
): Promise<FoundRepository> {
  const { bytes, ...description } = newDescription(masterKey, { parity, created: clock.now() });
  const { id } = description;
  const own = { description, envelopes: [keyEnvelope] };
  try {
    // The description comes last: it makes the rest count.
    await storage.put(keyName(hashOf(keyEnvelope)), [keyEnvelope], signal);
    await storage.put(DESCRIPTION_FILE, [bytes], signal);
    const found = await findRepository(storage, signal);
    if (!found) throw new HoldfastError('destination_missing', { directory: storage.address });
    const isNew = found.description.id === id;
    if (isNew) await storage.put(DESCRIPTION_COPY, [bytes], signal);
    else await abandonRepository(storage, own);
    return { ...found, isNew };
  } catch (error) {
    await abandonRepository(storage, own).catch(() => undefined);
    throw error;
  }
}

/** Completes the creation of a repository that was killed. @param keyEnvelope stored if it is another one by now */
export async function completeRepository(
  storage: Storage,
  keyEnvelope: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  await storage.put(keyName(hashOf(keyEnvelope)), [keyEnvelope], signal);
  if ((await storage.get(DESCRIPTION_COPY, { offset: 0, length: 1 }, signal)) !== undefined) return;
  const bytes = await storage.get(DESCRIPTION_FILE, { offset: 0, length: LARGEST_DESCRIPTION_BYTES }, signal);
  if (bytes) await storage.put(DESCRIPTION_COPY, [bytes], signal);
}

/**
 * Removes a repository that was created a moment ago, unless somebody has backed up to it. If another computer has created its
 * own there, that one stays.
 */
export async function abandonRepository(storage: Storage, { description, envelopes }: FoundRepository): Promise<void> {
  const found = await findRepository(storage);
  const isOwn = found?.description.id === description.id;
  if (isOwn ? await isUsed(storage) : found?.description.keyId === description.keyId) return;
  // The description last: a folder without it counts as a disk that is not there.
  for (const envelope of envelopes) await storage.delete(keyName(hashOf(envelope)));
  if (!isOwn) return;
  await storage.delete(DESCRIPTION_COPY);
  await storage.delete(DESCRIPTION_FILE);
}

async function isUsed(storage: Storage): Promise<boolean> {
  for await (const batch of storage.list(LEDGER_FOLDER)) if (batch.length > 0) return true;
  return false;
}

/** It has a few hundred bytes. */
export const LARGEST_DESCRIPTION_BYTES = 64 * KIB;

/** Reads `holdfast.json`, or its copy if it is missing or damaged. */
async function readDescription(
  storage: Storage,
  masterKey: MasterKey | KeyRing | undefined,
  signal?: AbortSignal,
): Promise<RepositoryDescription | undefined> {
  const keys = masterKey && deriveRepositoryKeys(masterKey).descriptions;
  let damage: DamagedFileError | undefined;
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY]) {
    try {
      const bytes = await storage.get(name, { offset: 0, length: LARGEST_DESCRIPTION_BYTES }, signal);
      if (bytes) return parseDescription(bytes, name, keys);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      // One of them may be damaged just so that it looks newer.
      if (damage?.problem !== 'newer-version') damage = error;
    }
  }
  if (!damage) return undefined;
  const directory = storage.address;
  if (damage.problem === 'sealed') {
    throw new HoldfastError('destination_missing', { directory, problem: 'forged' }, { cause: damage });
  }
  if (damage.problem === 'newer-version') {
    throw new HoldfastError('usage', { problem: 'destination-newer', directory }, { cause: damage });
  }
  throw foreignContent(directory, looksLikeBackups((await storage.rootNames?.(signal)) ?? []), damage);
}

async function readKey(storage: Storage, name: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  const hash = keyHashIn(name);
  const bytes =
    hash === undefined ? undefined : await storage.get(name, { offset: 0, length: LARGEST_ENVELOPE_BYTES }, signal);
  return bytes && hashOf(bytes) === hash ? bytes : undefined;
}

/** Returns whether an envelope says that it is of the key with which the repository was created, or of one that came after it. */
function isOfAccount(bytes: Uint8Array, first: string): boolean {
  try {
    const { keyId, earlier } = readEnvelope(bytes);
    return keyId === first || earlier.some((key) => key.keyId === first);
  } catch {
    return false;
  }
}
