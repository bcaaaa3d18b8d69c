import { bufferOf } from '../../base/buffer-of.ts';
import type { DigestSet } from '../../format/chunks/digest-set.ts';
import type { PackTable, StoredPack } from '../projection/packs.ts';
import { MIB } from '../../model/units.ts';

/** Packs smaller than this are merged once there are many of them. */
const SMALL_PACK_BYTES = 4 * MIB;
const MANY_SMALL_PACKS = 128;

/** A pack that is worth condemning. */
export interface ChosenPack extends Pick<StoredPack, 'number' | 'hash' | 'bytes'> {
  /** Bytes of its blobs that restore points need. */
  readonly livingBytes: number;
  /** Bytes of all its blobs. */
  readonly blobBytes: number;
}

export interface ChoiceOptions {
  /** Share of dead bytes from which a pack is written anew. */
  readonly deadShare: number;
  /** True if small packs are merged, which takes as much room as it frees. */
  readonly mergesSmall: boolean;
}

/**
 * Returns the packs that are mostly dead, and small ones if there are many: first those that nobody needs, then those of which the least has
 * to be written anew.
 */
export function packsToCondemn(
  packs: PackTable,
  live: DigestSet,
  { deadShare, mergesSmall }: ChoiceOptions,
): readonly ChosenPack[] {
  const dead: ChosenPack[] = [];
  const small: ChosenPack[] = [];
  for (const pack of packs.stored()) {
    const { number, hash, bytes, writer, blobs } = pack;
    if (writer === undefined || !packs.isCountable(number)) continue;
    const livingBytes = livingBytesOf(pack, live);
    const blobBytes = blobs.reduce((sum, { length }) => sum + length, 0);
    const chosen = { number, hash, bytes, livingBytes, blobBytes };
    if (livingBytes === 0 || blobBytes - livingBytes > bytes * deadShare) dead.push(chosen);
    else if (bytes < SMALL_PACK_BYTES) small.push(chosen);
  }
  const all = mergesSmall && small.length >= MANY_SMALL_PACKS ? [...dead, ...small] : dead;
  return all.toSorted((a, b) => a.livingBytes - b.livingBytes);
}

/** Bytes of a pack's blobs that live. */
export function livingBytesOf({ blobs }: Pick<StoredPack, 'blobs'>, live: DigestSet): number {
  return blobs.reduce((sum, { digest, length }) => (live.has(bufferOf(digest)) ? sum + length : sum), 0);
}
