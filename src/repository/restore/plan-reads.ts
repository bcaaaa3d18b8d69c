import type { BlobLocation } from '../projection/blob-locations.ts';
import { KIB, MIB } from '../../model/units.ts';

/** Items whose distance in a pack is at most this are read together. */
const LARGEST_GAP = 128 * KIB;
/** The most bytes of one read. */
const LARGEST_READ = 4 * MIB;

/** A part of a pack. */
export type PackRange = Pick<BlobLocation, 'pack' | 'packHash' | 'offset' | 'length'>;

/** Items of one pack that are read together. */
export interface Read<Item> {
  readonly packHash: string;
  readonly offset: number;
  length: number;
  readonly items: Item[];
}

/**
 * Divides items into reads: neighbours in a pack are read by one.
 *
 * @param largestGap bytes between neighbours
 * @param largestRead bytes, unless one item has more
 */
export function planReads<Item>(
  items: readonly Item[],
  rangeOf: (item: Item) => PackRange,
  { largestGap = LARGEST_GAP, largestRead = LARGEST_READ } = {},
): readonly Read<Item>[] {
  const placed = items.map((item) => ({ item, range: rangeOf(item) }));
  placed.sort(({ range: a }, { range: b }) => a.pack - b.pack || a.offset - b.offset);
  const reads: Read<Item>[] = [];
  for (const { item, range } of placed) {
    const { packHash, offset, length } = range;
    const last = reads.at(-1);
    const end = last && last.offset + last.length;
    if (last?.packHash === packHash && offset - end! <= largestGap && offset + length - last.offset <= largestRead) {
      last.length = Math.max(last.length, offset + length - last.offset);
      last.items.push(item);
    } else {
      reads.push({ packHash, offset, length, items: [item] });
    }
  }
  return reads;
}
