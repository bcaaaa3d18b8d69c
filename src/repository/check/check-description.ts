import { LARGEST_ENVELOPE_BYTES, readEnvelope } from '../../format/crypto/key-envelope.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { DamagedFileError } from '../../format/repository/damage.ts';
import { parseDescription } from '../../format/repository/description.ts';
import { LARGEST_DESCRIPTION_BYTES } from '../create-repository.ts';
import {
  DESCRIPTION_COPY,
  DESCRIPTION_FILE,
  hashOf,
  keyHashIn,
  KEYS_FOLDER,
  RESERVE_FOLDER,
} from '../../format/repository/file-names.ts';
import { readStored } from '../../storage/read-stored.ts';
import { UnlistedFiles } from '../../storage/unreadable.ts';
import type { Repository } from '../repository.ts';
import type { Findings } from './report.ts';

/** Checks what opens a repository: its description, the copy of that, and its key envelopes. */
export async function checkDescription(
  repository: Repository,
  findings: Findings,
  signal?: AbortSignal,
): Promise<void> {
  const { storage, id, keys, repositoryKeys } = repository;
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY]) {
    try {
      const bytes = await readStored(storage, name, { offset: 0, length: LARGEST_DESCRIPTION_BYTES }, signal);
      if (!bytes) throw new DamagedFileError(name, 'missing');
      const found = parseDescription(bytes, name, repositoryKeys.descriptions);
      if (found.id !== id || !keys.ids.includes(found.keyId) || !isWhole(bytes))
        throw new DamagedFileError(name, 'content');
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      findings.add(name, error.problem);
    }
  }
  let hasOurs = false;
  const unlisted = new UnlistedFiles();
  for await (const batch of storage.list(KEYS_FOLDER, signal, unlisted.add)) {
    for (const { name, bytes: size } of batch) {
      const hash = keyHashIn(name);
      if (hash === undefined) continue;
      if (size > LARGEST_ENVELOPE_BYTES) {
        findings.add(name, 'size');
        continue;
      }
      try {
        const bytes = await readStored(storage, name, { offset: 0, length: LARGEST_ENVELOPE_BYTES }, signal);
        if (!bytes || hashOf(bytes) !== hash) findings.add(name, bytes ? 'hash' : 'missing');
        else hasOurs ||= isOurs(bytes, keys.id);
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
        findings.add(name, error.problem);
      }
    }
  }
  for await (const _batch of storage.list(RESERVE_FOLDER, signal, unlisted.add));
  for (const [name, problem] of unlisted.problems) findings.add(name, problem);
  // One in a folder that is not shown may be there.
  if (!hasOurs && unlisted.problemOf(KEYS_FOLDER.slice(0, -1)) === undefined) findings.add(KEYS_FOLDER, 'missing');
}

/** Returns whether a description that can be read is also complete to its last byte. */
function isWhole(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('utf8');
  return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n` === text;
}

function isOurs(bytes: Uint8Array, keyId: string): boolean {
  try {
    return readEnvelope(bytes).keyId === keyId;
  } catch (error) {
    if (isHoldfastError(error)) return false;
    throw error;
  }
}
