import { packName } from '../format/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Repository } from '../repository.ts';
import { readable, readStored } from '../storage/unreadable.ts';

/** The bytes of a blob in one place, which may be damaged. */
export interface BlobCopy {
  readonly location: BlobLocation;
  readonly bytes: Uint8Array;
  /** True if the parity of the pack gave them. */
  readonly isMended: boolean;
}

/**
 * Yields the copies of a blob: those in the packs as they are stored, and then those that parity gives for damaged and missing packs.
 * A place in a pack that is missing, too short or cannot be read is passed over.
 *
 * @param locations in order of preference
 */
export async function* copiesOf(
  { storage, parity }: Pick<Repository, 'storage' | 'parity'>,
  locations: readonly BlobLocation[],
  signal?: AbortSignal,
): AsyncGenerator<BlobCopy> {
  for (const location of locations) {
    const { packHash, offset, length } = location;
    const bytes = await readable(readStored(storage, packName(packHash), { offset, length }, signal));
    if (bytes?.length === length) yield { location, bytes, isMended: false };
  }
  for (const location of locations) {
    const { packHash, offset, length } = location;
    const pack = await parity.mend(packHash, signal);
    const bytes = pack?.subarray(offset, offset + length);
    if (bytes?.length === length) yield { location, bytes, isMended: true };
  }
}
