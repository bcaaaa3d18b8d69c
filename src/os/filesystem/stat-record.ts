import type { BigIntStats } from 'node:fs';
import { bufferOf } from '../../base/buffer-of.ts';

/**
 * Packed result of `lstat`: eleven 64-bit little-endian integers. The first four decide whether a file is read again, so that a
 * comparison of 32 bytes is sufficient.
 */
export const STAT_RECORD_BYTES = 11 * 8;
export const CHANGE_SIGNATURE_BYTES = 4 * 8;

const SIZE = 0;
const MTIME = 1;
const CTIME = 2;
const INODE = 3;
const MODE = 4;
const UID = 5;
const GID = 6;
const LINKS = 7;
const BIRTHTIME = 8;
const BLOCKS = 9;
const DEVICE = 10;

export interface StatFields {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
  /** st_mode with its type bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly links: number;
  /** 0 if the file system does not store it. */
  readonly birthtimeNs: bigint;
  /** In units of 512 bytes. */
  readonly blocks: bigint;
  readonly device: bigint;
}

const TYPE = 0o170_000n;
const FOLDER = 0o040_000n;
const OWNER_WRITE = 0o200n;

/**
 * Returns st_mode as other systems understand it. Windows only knows whether a file is read-only, and Node shows the rest as rights that
 * everybody has, except that of entering a folder: restored elsewhere, no folder could be opened and everybody could write.
 */
export function portableMode(mode: bigint, platform: NodeJS.Platform = process.platform): bigint {
  if (platform !== 'win32') return mode;
  const type = mode & TYPE;
  if (type === FOLDER) return type | 0o755n;
  return type | ((mode & OWNER_WRITE) === 0n ? 0o444n : 0o644n);
}

/** Packs into `words`, which must have eleven elements. */
export function packStat(stat: BigIntStats, words: BigInt64Array): void {
  words[SIZE] = stat.size;
  words[MTIME] = stat.mtimeNs;
  words[CTIME] = stat.ctimeNs;
  words[INODE] = stat.ino;
  words[MODE] = portableMode(stat.mode);
  words[UID] = stat.uid;
  words[GID] = stat.gid;
  words[LINKS] = stat.nlink;
  words[BIRTHTIME] = stat.birthtimeNs;
  words[BLOCKS] = stat.blocks;
  words[DEVICE] = stat.dev;
}

export function packedStat(stat: BigIntStats): Buffer {
  const words = new BigInt64Array(11);
  packStat(stat, words);
  return Buffer.from(words.buffer);
}

export function unpackStat(record: Buffer): StatFields {
  const word = (index: number): bigint => record.readBigInt64LE(index * 8);
  return {
    size: Number(word(SIZE)),
    mtimeNs: timeOf(word(MTIME)),
    ctimeNs: word(CTIME),
    inode: word(INODE),
    mode: Number(word(MODE)),
    uid: Number(word(UID)),
    gid: Number(word(GID)),
    links: Number(word(LINKS)),
    birthtimeNs: timeOf(word(BIRTHTIME)),
    blocks: word(BLOCKS),
    device: word(DEVICE),
  };
}

/** -2^31 seconds, in December 1901: the earliest time of ext4, XFS and others. */
const EARLIEST_NS = -(2n ** 31n) * 1_000_000_000n;

/** 64 bits of nanoseconds are 584 years. They are those from 1901 to 2486, as file systems have them, and not up to 2262. */
function timeOf(word: bigint): bigint {
  return word < EARLIEST_NS ? word + 2n ** 64n : word;
}

/** Returns whether size, mtime, ctime and inode of two records are equal. */
export function hasSameSignature(a: Uint8Array, b: Uint8Array): boolean {
  // Byte by byte: a view per file would cost more than the comparison.
  for (let index = 0; index < CHANGE_SIGNATURE_BYTES; index += 1) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}

/** Returns the size in a record. */
export function sizeIn(record: Uint8Array): number {
  return Number(wordOf(record, SIZE));
}

/** Returns whether a later record is of the same file, which has become larger. */
export function hasGrown(earlier: Uint8Array, later: Uint8Array): boolean {
  return wordOf(later, INODE) === wordOf(earlier, INODE) && wordOf(later, SIZE) > wordOf(earlier, SIZE);
}

function wordOf(record: Uint8Array, index: number): bigint {
  return bufferOf(record).readBigInt64LE(index * 8);
}

/** Sets the device: that of a copy of a volume is another one in each run, and may be any disk's later on. */
export function takeDevice(record: Uint8Array, from: Uint8Array): void {
  record.set(from.subarray(DEVICE * 8, (DEVICE + 1) * 8), DEVICE * 8);
}

/** A ctime that no file has. File systems without change times report 0. */
const NO_TIME = -1n;

/**
 * Sets the size that was read, and marks a record so that the file is read again in the next run: it changed while it was read,
 * or so shortly before that another change might not alter its times.
 */
export function unreliableStat(record: Buffer, size: number): void {
  record.writeBigInt64LE(BigInt(size), SIZE * 8);
  record.writeBigInt64LE(NO_TIME, CTIME * 8);
}

// A file written twice within one tick of the file system's clock looks unchanged the second time. Where times have
// parts of a millisecond the tick is the kernel's, at most 10 ms; elsewhere it may be two seconds (FAT, some networks).
const KERNEL_TICK_MS = 20n;
const COARSE_TICK_MS = 2000n;
const MILLISECOND = 1_000_000n;

/**
 * Returns whether a further change might leave the times as they are. Some file systems have no change times (FAT under
 * Windows, many in user space), so the time of modification counts too; but that can be set, also to one far ahead.
 *
 * @param now milliseconds since the epoch
 */
export function mayStillChange({ ctimeNs, mtimeNs }: BigIntStats, now: number): boolean {
  if (ageOf(ctimeNs, now) < tickOf(ctimeNs)) return true;
  const age = ageOf(mtimeNs, now);
  return age < tickOf(mtimeNs) && age > -tickOf(mtimeNs);
}

function tickOf(timeNs: bigint): bigint {
  return timeNs % MILLISECOND === 0n ? COARSE_TICK_MS : KERNEL_TICK_MS;
}

function ageOf(timeNs: bigint, now: number): bigint {
  return BigInt(now) - timeNs / MILLISECOND;
}
