import { readdirSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import type { KeyRing } from '../../format/crypto/keys.ts';
import { readPackEnd } from '../packs/read-pack-end.ts';
import type { Findings } from '../check/report.ts';
import { LARGEST_DESCRIPTION_BYTES } from '../create-repository.ts';
import { DamagedFileError } from '../../format/repository/damage.ts';
import { encodeDescription, encodeWith, parseDescription } from '../../format/repository/description.ts';
import {
  DESCRIPTION_COPY,
  DESCRIPTION_FILE,
  hashOf,
  keyName,
  KEYS_FOLDER,
  LEDGER_FOLDER,
  packHashIn,
  parseLedgerName,
  PACKS_FOLDER,
} from '../../format/repository/file-names.ts';
import { LARGEST_LEDGER_FILE_BYTES } from '../../format/repository/segment.ts';
import { deriveRepositoryKeys } from '../../format/repository/keys.ts';
import { openBytes, sealContext } from '../../format/repository/sealed-bytes.ts';
import { recoverShare } from '../parity/pack-parity.ts';
import type { Repository } from '../repository.ts';
import type { Storage } from '../../storage/storage.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import { leaveOut } from '../../storage/unreadable.ts';
import { moveAside, writeAnew, type Moved } from './move-aside.ts';

/** Writes the description, its copy and the key envelope again where they are missing or damaged. */
export async function repairDescription(
  repository: Repository,
  keyEnvelope: Uint8Array,
  findings: Findings,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Moved>> {
  const { storage } = repository;
  const moved = new Map<string, Moved>();
  const bytes = await descriptionOf(repository, findings, signal);
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY]) {
    const problem = findings.problems.get(name);
    if (problem === undefined) continue;
    moved.set(name, (await writeAnew(storage, name, bytes, signal)) ?? 'kept');
  }
  for (const [name, problem] of findings.problems) {
    // Others may have the right to read it, and nothing else has what is in it.
    if (!name.startsWith(KEYS_FOLDER) || name === KEYS_FOLDER || problem === 'denied') continue;
    moved.set(name, await moveAside(storage, name, signal));
  }
  if (findings.has(KEYS_FOLDER)) {
    const name = keyName(hashOf(keyEnvelope));
    // None of the files is ours: whatever has its name is something else, or cannot be read.
    if (findings.problems.get(name) !== 'denied') await writeAnew(storage, name, keyEnvelope, signal);
  }
  return moved;
}

/** Writes a description and its copy to a repository that has lost both. */
export async function writeDescription(
  storage: Storage,
  id: string,
  masterKey: KeyRing,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const parity = await recoverShare(storage, signal);
  const { bytes } = encodeDescription(masterKey.at(-1)!.master, { id, parity, created: now });
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY]) {
    await writeAnew(storage, name, bytes, signal);
  }
}

/** The bytes of the undamaged description, or of a new one with the same id. */
async function descriptionOf(
  { storage, id, description, repositoryKeys, clock, parity }: Repository,
  findings: Findings,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const key = repositoryKeys.descriptions.find(({ keyId }) => keyId === description.keyId)!;
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY]) {
    const bytes = await readIfReadable(storage, name, { offset: 0, length: LARGEST_DESCRIPTION_BYTES }, signal);
    if (bytes && !findings.has(name) && isOf(name, bytes, id)) return bytes;
  }
  return encodeWith(key, { id, parity: parity.percent, created: clock.now() }).bytes;
}

function isOf(name: string, bytes: Uint8Array, id: string): boolean {
  try {
    return parseDescription(bytes, name).id === id;
  } catch (error) {
    if (error instanceof DamagedFileError) return false;
    throw error;
  }
}

/**
 * Finds out the id of a repository that lost its description and the copy: one that this computer knows opens its files.
 *
 * @param folder of this computer for all repositories
 */
export async function recoverId(
  storage: Storage,
  folder: string,
  masterKey: KeyRing,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (const id of knownIds(folder)) {
    if (await opensWith(storage, id, masterKey, signal)) return id;
  }
  return undefined;
}

function knownIds(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{32}$/.test(name));
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Files that are tried: one may be damaged. */
const MOST_TRIED = 16;

async function opensWith(storage: Storage, id: string, masterKey: KeyRing, signal?: AbortSignal): Promise<boolean> {
  const repositoryKeys = deriveRepositoryKeys(masterKey);
  let left = MOST_TRIED;
  for await (const batch of storage.list(LEDGER_FOLDER, signal, leaveOut)) {
    for (const { name, bytes: size } of batch) {
      const file = parseLedgerName(name);
      if (!file || size > LARGEST_LEDGER_FILE_BYTES || (left -= 1) < 0) continue;
      const bytes = await readIfReadable(storage, name, undefined, signal);
      const place = name.slice(0, -65);
      if (bytes && openBytes(repositoryKeys.ledger, bytes, sealContext('segment', id, place))) return true;
    }
  }
  left = MOST_TRIED;
  for await (const batch of storage.list(PACKS_FOLDER, signal, leaveOut)) {
    for (const { name, bytes } of batch) {
      const hash = packHashIn(name);
      if (hash === undefined || (left -= 1) < 0) continue;
      try {
        await readPackEnd({ storage, repositoryKeys, id }, hash, bytes, signal);
        return true;
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
      }
    }
  }
  return false;
}
