import { bufferOf } from '../../base/buffer-of.ts';
import type { DigestSet } from '../../format/chunks/digest-set.ts';
import type { NewBlob, PackWriter } from '../backup/pack-writer.ts';
import { packName } from '../../format/repository/file-names.ts';
import type { PlacedBlob } from '../../format/repository/pack-file.ts';
import type { StoredPack } from '../projection/packs.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import type { Repository } from '../repository.ts';
import { MIB } from '../../model/units.ts';

/** Bytes that are read from a pack at once. */
const READ_BYTES = 8 * MIB;

/**
 * Copies the living blobs of a pack into new packs.
 *
 * @returns false if one of them cannot be read: the pack then stays
 * @throws what the storage throws
 */
export async function rescueBlobs(
  repository: Repository,
  { hash, blobs }: Pick<StoredPack, 'hash' | 'blobs'>,
  { live, writer }: { readonly live: DigestSet; readonly writer: PackWriter },
  signal?: AbortSignal,
): Promise<boolean> {
  const name = packName(hash.toString('hex'));
  for (const part of partsOf(blobs.filter(({ digest }) => live.has(bufferOf(digest))))) {
    const first = part[0]!;
    const last = part.at(-1)!;
    const range = { offset: first.offset, length: last.offset + last.length - first.offset };
    const bytes = await readIfReadable(repository.storage, name, range, signal);
    if (bytes?.length !== range.length) return false;
    const copies = part.map(({ digest, offset, length, size, kind }): NewBlob => {
      const at = offset - first.offset;
      return { digest: Buffer.from(digest), bytes: bytes.subarray(at, at + length), size, kind };
    });
    if (!(await areSound(repository, copies))) return false;
    await writer.add(copies, signal);
  }
  return true;
}

/** Divides blobs into those that are read at once. */
function* partsOf(blobs: readonly PlacedBlob[]): Generator<readonly PlacedBlob[]> {
  for (let start = 0; start < blobs.length;) {
    const first = blobs[start]!;
    let end = start + 1;
    while (end < blobs.length && blobs[end]!.offset + blobs[end]!.length - first.offset <= READ_BYTES) end += 1;
    yield blobs.slice(start, end);
    start = end;
  }
}

/** Blobs are copied only after they were opened, so that damage is not spread. */
async function areSound({ keys }: Repository, blobs: readonly NewBlob[]): Promise<boolean> {
  const { chunkKeysOf, openEnvelope } = await import('../../format/crypto/chunk-keys.ts');
  const chunkKeys = chunkKeysOf(keys.chunk);
  return blobs.every(({ digest, bytes, kind }) => {
    try {
      if (kind === 'envelope') openEnvelope(bytes, digest);
      else chunkKeys.open(bytes, digest);
      return true;
    } catch {
      return false;
    }
  });
}
