import { packName } from '../../format/repository/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Repository } from '../repository.ts';

/**
 * Records that a blob is damaged in one of its places, so that no backup counts on that one and a repair moves its pack aside.
 *
 * @returns the name of the pack; `undefined` if a repair has given it up
 */
export function markCopyDamaged(
  { projection, clock }: Pick<Repository, 'projection' | 'clock'>,
  digest: Uint8Array,
  { pack, packHash }: BlobLocation,
): string | undefined {
  if (projection.packs.isLost(Buffer.from(packHash, 'hex'))) return undefined;
  const name = packName(packHash);
  projection.change(() => {
    projection.packs.markBlobDamaged(digest, pack);
    projection.ledgers.recordDamage(name, 'hash', clock.now());
  });
  return name;
}
