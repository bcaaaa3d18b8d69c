import type { BlobLocation } from '../projection/packs.ts';
import type { PackParity } from './pack-parity.ts';

/** Reads a blob from a damaged or missing pack, by the parity of the pack. Returns `undefined` if too much is damaged. */
export async function readMended(
  parity: PackParity,
  { packHash, offset, length }: Pick<BlobLocation, 'packHash' | 'offset' | 'length'>,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const pack = await parity.mend(packHash, signal);
  const blob = pack?.subarray(offset, offset + length);
  return blob?.length === length ? blob : undefined;
}
