import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import { MOST_BLOCKS } from './block-code.ts';
import { MIB } from '../../model/units.ts';

/** The share of parity that can be chosen, in percent. With the largest, parity alone replaces a lost pack. */
export const LARGEST_PERCENT = 100;

/** A sector of most disks. */
const BLOCK_BYTES = 4096;
/** Blocks of packs below `SMALL_PACK_BYTES`, which would otherwise have too few. */
const SMALL_BLOCK_BYTES = 512;
const SMALL_PACK_BYTES = MIB;
/** A damaged area at the border of two blocks damages both. */
const FEWEST_PARITY = 2;

/** Bytes at the beginning and again at the end. */
export const HEADER_BYTES = 64;
/** Bytes of a block's hash. */
export const BLOCK_HASH_BYTES = 8;

/** Where everything is in the parity file of a pack; docs/repository.md has a table of it. */
export interface ParityLayout {
  readonly packBytes: number;
  readonly blockBytes: number;
  /** Blocks of the pack. */
  readonly blocks: number;
  /** Sets of blocks that belong together. Neighbouring blocks are in different sets. */
  readonly sets: number;
  /** Blocks of a set: of the pack, and of parity. */
  readonly data: number;
  readonly parity: number;
  /** Bytes of the hashes of all blocks. They stand there twice. */
  readonly hashesBytes: number;
  readonly parityOffset: number;
  readonly secondHashesOffset: number;
  readonly fileBytes: number;
}

/** @throws RangeError if a pack cannot have so many bytes, or parity not that share */
export function parityLayout(packBytes: number, percent: number): ParityLayout {
  if (!(packBytes > 0 && packBytes <= LARGEST_PACK_BYTES)) throw new RangeError('no size of a pack');
  if (!(percent > 0 && percent <= LARGEST_PERCENT)) throw new RangeError('no share of parity');
  const blockBytes = packBytes < SMALL_PACK_BYTES ? SMALL_BLOCK_BYTES : BLOCK_BYTES;
  const blocks = Math.ceil(packBytes / blockBytes);
  let sets = 0;
  let data: number;
  let parity: number;
  do {
    sets += 1;
    data = Math.ceil(blocks / sets);
    parity = Math.max(FEWEST_PARITY, Math.ceil((data * percent) / 100));
  } while (data + parity > MOST_BLOCKS);
  const hashesBytes = (blocks + sets * parity) * BLOCK_HASH_BYTES;
  const parityOffset = HEADER_BYTES + hashesBytes;
  const secondHashesOffset = parityOffset + sets * parity * blockBytes;
  const fileBytes = secondHashesOffset + hashesBytes + HEADER_BYTES;
  return {
    packBytes,
    blockBytes,
    blocks,
    sets,
    data,
    parity,
    hashesBytes,
    parityOffset,
    secondHashesOffset,
    fileBytes,
  };
}

/** Returns whether parity alone gives back a lost pack, as it does for the smallest whatever the share is. */
export function hasAsMuchParity(packBytes: number, percent: number): boolean {
  const { data, parity } = parityLayout(packBytes, percent);
  return parity >= data;
}

/** The largest parity file that is read. */
export const LARGEST_PARITY_BYTES = parityLayout(LARGEST_PACK_BYTES, LARGEST_PERCENT).fileBytes;
