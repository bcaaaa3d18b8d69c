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
import { readIfReadable, readStored } from '../storage/read-stored.ts';
import type { Storage } from '../storage/storage.ts';
import { isUnreadableProblem, leaveOut, UnlistedFiles, type UnreadableProblem } from '../storage/unreadable.ts';
import { KIB } from '../model/units.ts';

/** A repository before it is opened. */
export interface FoundRepository {
  readonly description: RepositoryDescription;
  /** Bytes of its key envelopes, of all epochs; those that are damaged or of another account are left out. */
  readonly envelopes: readonly Uint8Array[];
  /** Files and folders of what describes and opens it that cannot be read. Others stood in for them. */
  readonly unread?: ReadonlyMap<string, UnreadableProblem>;
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
  const unread = new UnlistedFiles();
  const description = await readDescription(storage, { masterKey, unread }, signal);
  if (!description) return undefined;
  const envelopes: Uint8Array[] = [];
  for await (const batch of storage.list(KEYS_FOLDER, signal, unread.add)) {
    for (const { name, bytes: size } of batch) {
      if (size > LARGEST_ENVELOPE_BYTES) continue;
      const envelope = await readKey(storage, name, unread, signal);
      if (envelope && isOfAccount(envelope, description.keyId)) envelopes.push(envelope);
    }
  }
  return { description, envelopes, unread: unread.problems };
}

/** Returns whether a repository has other key envelopes than the known ones, by one listing. */
export async function hasOtherEnvelopes(
  storage: Storage,
  known: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<boolean> {
  const names = new Set(known.map((bytes) => keyName(hashOf(bytes))));
  for await (const batch of storage.list(KEYS_FOLDER, signal, leaveOut)) {
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
  if ((await readIfReadable(storage, DESCRIPTION_COPY, { offset: 0, length: 1 }, signal)) !== undefined) return;
  const bytes = await readIfReadable(
    storage,
    DESCRIPTION_FILE,
    { offset: 0, length: LARGEST_DESCRIPTION_BYTES },
    signal,
  );
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
  const unlisted = new UnlistedFiles();
  for await (const batch of storage.list(LEDGER_FOLDER, undefined, unlisted.add)) if (batch.length > 0) return true;
  // What cannot be seen may be in use.
  return unlisted.problems.size > 0;
}

/** Bytes of `holdfast.json` that are read at most. It has a few hundred. */
export const LARGEST_DESCRIPTION_BYTES = 64 * KIB;

/** Reads `holdfast.json`, or its copy if it is missing, damaged or cannot be read. */
async function readDescription(
  storage: Storage,
  { masterKey, unread }: { readonly masterKey: MasterKey | KeyRing | undefined; readonly unread: UnlistedFiles },
  signal?: AbortSignal,
): Promise<RepositoryDescription | undefined> {
  const keys = masterKey && deriveRepositoryKeys(masterKey).descriptions;
  let damage: DamagedFileError | undefined;
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY]) {
    try {
      const bytes = await readStored(storage, name, { offset: 0, length: LARGEST_DESCRIPTION_BYTES }, signal);
      if (bytes) return parseDescription(bytes, name, keys);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      if (isUnreadableProblem(error.problem)) unread.add(name, error.problem, error.cause);
      // One of them may be damaged just so that it looks newer, or of something else.
      if (rankOf(error) >= rankOf(damage)) damage = error;
    }
  }
  if (!damage) return undefined;
  // Nobody can say what the disk does not show.
  if (isUnreadableProblem(damage.problem)) throw damage.cause;
  const directory = storage.address;
  if (damage.problem === 'sealed') {
    throw new HoldfastError('destination_missing', { directory, problem: 'forged' }, { cause: damage });
  }
  if (damage.problem === 'newer-version') {
    throw new HoldfastError('usage', { problem: 'destination-newer', directory }, { cause: damage });
  }
  // Whatever answered for both may be no store, which a listing shows.
  for await (const _ of storage.list(KEYS_FOLDER, signal, leaveOut)) break;
  throw foreignContent(directory, looksLikeBackups((await storage.rootNames?.(signal)) ?? []), damage);
}

/** Which of two damaged descriptions says why the repository cannot be opened: the highest. */
function rankOf(damage: DamagedFileError | undefined): number {
  if (damage?.problem === 'newer-version') return 3;
  return damage === undefined ? 0 : isUnreadableProblem(damage.problem) ? 2 : 1;
}

async function readKey(
  storage: Storage,
  name: string,
  unread: UnlistedFiles,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const hash = keyHashIn(name);
  if (hash === undefined) return undefined;
  try {
    const bytes = await readStored(storage, name, { offset: 0, length: LARGEST_ENVELOPE_BYTES }, signal);
    return bytes && hashOf(bytes) === hash ? bytes : undefined;
  } catch (error) {
    if (!(error instanceof DamagedFileError) || !isUnreadableProblem(error.problem)) throw error;
    unread.add(name, error.problem, error.cause);
    return undefined;
  }
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
