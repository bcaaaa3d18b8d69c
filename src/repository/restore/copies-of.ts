import { packName } from '../../format/repository/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Repository } from '../repository.ts';
import { readable, readStored } from '../../storage/read-stored.ts';

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
    const bytes = await readCopy(storage, location, signal);
    if (bytes) yield { location, bytes, isMended: false };
  }
  yield* mendedCopiesOf({ parity }, locations, signal);
}

/** Reads a blob in one place; `undefined` if the pack is missing, too short or cannot be read. */
export async function readCopy(
  storage: Repository['storage'],
  { packHash, offset, length }: BlobLocation,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const bytes = await readable(readStored(storage, packName(packHash), { offset, length }, signal));
  return bytes?.length === length ? bytes : undefined;
}

/** Yields the copies that parity gives for damaged and missing packs. */
export async function* mendedCopiesOf(
  { parity }: Pick<Repository, 'parity'>,
  locations: readonly BlobLocation[],
  signal?: AbortSignal,
): AsyncGenerator<BlobCopy> {
  for (const location of locations) {
    const { packHash, offset, length } = location;
    const pack = await parity.mend(packHash, signal);
    const bytes = pack?.subarray(offset, offset + length);
    if (bytes?.length === length) yield { location, bytes, isMended: true };
  }
}
