/**
 * The structures of `linux/fuse.h`, in the byte order of the computer: every one that has Node and FUSE is little-endian.
 * Lengths and offsets are in bytes.
 */
import type { FuseAttributes, FuseEntry, FuseSpace, NodeId } from './file-system.ts';
import { KIB } from '../../model/units.ts';

export const FUSE_MAJOR = 7;
/** 7.31 is that of Linux 5.4; what later ones add is not used. */
export const FUSE_MINOR = 31;

export const OPCODE = {
  LOOKUP: 1,
  FORGET: 2,
  GETATTR: 3,
  READLINK: 5,
  OPEN: 14,
  READ: 15,
  STATFS: 17,
  RELEASE: 18,
  GETXATTR: 22,
  LISTXATTR: 23,
  FLUSH: 25,
  INIT: 26,
  OPENDIR: 27,
  READDIR: 28,
  RELEASEDIR: 29,
  INTERRUPT: 36,
  DESTROY: 38,
  BATCH_FORGET: 42,
  READDIRPLUS: 44,
} as const;

const INIT_FLAGS = {
  asyncRead: 1 << 0,
  readDirPlus: 1 << 13,
  noOpen: 1 << 17,
  parallelFolders: 1 << 18,
  maxPages: 1 << 22,
  cacheLinks: 1 << 23,
} as const;
const WANTED_FLAGS = Object.values(INIT_FLAGS).reduce((all, flag) => all | flag, 0);

/** Requests of readers that wait for nothing, and of read-ahead, that the kernel sends side by side. */
const MAX_BACKGROUND = 64;
/** Pages of a READ, and of a READDIR since Linux 6.16: the most that the kernel allows. */
const MAX_PAGES = 256;
/** Nothing is written, but the kernel insists on a page. */
const MAX_WRITE = 4096;
/** Holds any request of a file system that is not written to. */
export const REQUEST_BYTES = 64 * KIB;

export const IN_HEADER_BYTES = 40;
const OUT_HEADER_BYTES = 16;
const ATTR_BYTES = 88;
const ENTRY_BYTES = 128;
const DIRENT_BYTES = 24;

export interface FuseRequest {
  readonly opcode: number;
  readonly unique: bigint;
  readonly node: NodeId;
  /** What follows the header; valid until the next request is read. */
  readonly body: Buffer;
}

/** Returns `undefined` for anything but a whole request. */
export function decodeRequest(bytes: Buffer): FuseRequest | undefined {
  if (bytes.length < IN_HEADER_BYTES || bytes.readUInt32LE(0) !== bytes.length) return undefined;
  return {
    opcode: bytes.readUInt32LE(4),
    unique: bytes.readBigUInt64LE(8),
    node: bytes.readBigUInt64LE(16),
    body: bytes.subarray(IN_HEADER_BYTES),
  };
}

export function encodeHeader(unique: bigint, errno: number, bodyBytes: number): Buffer {
  const header = Buffer.alloc(OUT_HEADER_BYTES);
  header.writeUInt32LE(OUT_HEADER_BYTES + bodyBytes, 0);
  header.writeInt32LE(-errno, 4);
  header.writeBigUInt64LE(unique, 8);
  return header;
}

export interface InitRequest {
  readonly major: number;
  readonly minor: number;
  readonly readAhead: number;
  readonly flags: number;
}

export function decodeInit(body: Buffer): InitRequest {
  return {
    major: body.readUInt32LE(0),
    minor: body.readUInt32LE(4),
    readAhead: body.readUInt32LE(8),
    flags: body.readInt32LE(12),
  };
}

export function encodeInit({ readAhead, flags }: InitRequest): Buffer {
  const out = Buffer.alloc(64);
  out.writeUInt32LE(FUSE_MAJOR, 0);
  out.writeUInt32LE(FUSE_MINOR, 4);
  out.writeUInt32LE(readAhead, 8);
  out.writeInt32LE(flags & WANTED_FLAGS, 12);
  out.writeUInt16LE(MAX_BACKGROUND, 16);
  out.writeUInt16LE((MAX_BACKGROUND * 3) / 4, 18);
  out.writeUInt32LE(MAX_WRITE, 20);
  out.writeUInt32LE(1, 24); // granularity of times in ns
  out.writeUInt16LE(MAX_PAGES, 28);
  return out;
}

const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;
const DIRENT_TYPE = { file: 8, directory: 4, symlink: 10 } as const;
const BLOCK_BYTES = 512;
const BLOCKS_OF_PAGE = 8;

function writeAttributes(out: Buffer, at: number, attributes: FuseAttributes): void {
  const { inode, type, mode, size, isSparse, links, uid, gid, modifiedNs } = attributes;
  const blocks = Math.ceil(size / BLOCK_BYTES);
  const seconds = BigInt.asUintN(64, floorDivide(modifiedNs, 1_000_000_000n));
  const nanoseconds = Number(BigInt.asUintN(64, modifiedNs - floorDivide(modifiedNs, 1_000_000_000n) * 1_000_000_000n));
  out.writeBigUInt64LE(inode, at);
  out.writeBigUInt64LE(BigInt(size), at + 8);
  // Never 0: to GNU tar that is a file without data.
  out.writeBigUInt64LE(BigInt(isSparse ? Math.max(1, blocks - BLOCKS_OF_PAGE) : blocks), at + 16);
  for (let index = 0; index < 3; index += 1) {
    out.writeBigUInt64LE(seconds, at + 24 + index * 8);
    out.writeUInt32LE(nanoseconds, at + 48 + index * 4);
  }
  out.writeUInt32LE(TYPE_BITS[type] | mode, at + 60);
  out.writeUInt32LE(links, at + 64);
  out.writeUInt32LE(uid, at + 68);
  out.writeUInt32LE(gid, at + 72);
  out.writeUInt32LE(0, at + 76);
  out.writeUInt32LE(4096, at + 80);
  out.writeUInt32LE(0, at + 84);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

export function encodeAttributes(attributes: FuseAttributes): Buffer {
  const out = Buffer.alloc(16 + ATTR_BYTES);
  out.writeBigUInt64LE(BigInt(attributes.validSeconds), 0);
  writeAttributes(out, 16, attributes);
  return out;
}

function writeEntry(out: Buffer, at: number, { node, attributes, validSeconds }: FuseEntry): void {
  out.writeBigUInt64LE(node, at);
  out.writeBigUInt64LE(0n, at + 8); // generation: a number is not used again
  out.writeBigUInt64LE(BigInt(validSeconds), at + 16);
  out.writeBigUInt64LE(BigInt(attributes.validSeconds), at + 24);
  out.writeUInt32LE(0, at + 32);
  out.writeUInt32LE(0, at + 36);
  writeAttributes(out, at + 40, attributes);
}

export function encodeEntry(entry: FuseEntry): Buffer {
  const out = Buffer.alloc(ENTRY_BYTES);
  writeEntry(out, 0, entry);
  return out;
}

/** Says for a while that there is no such name. */
export function encodeAbsence(validSeconds: number): Buffer {
  const out = Buffer.alloc(ENTRY_BYTES);
  out.writeBigUInt64LE(BigInt(validSeconds), 16);
  return out;
}

export interface ListedName {
  readonly name: Buffer;
  readonly inode: bigint;
  readonly type: FuseAttributes['type'];
  readonly next: bigint;
  /** `undefined` for `.` and `..`. */
  readonly entry: FuseEntry | undefined;
}

/** The entries of a folder, as many as fit. */
export class FolderPage {
  readonly #out: Buffer;
  readonly #isPlus: boolean;
  #length = 0;

  /** @param isPlus with the attributes of each entry */
  constructor(bytes: number, isPlus: boolean) {
    this.#out = Buffer.alloc(bytes);
    this.#isPlus = isPlus;
  }

  /** Returns false if the entry does not fit any more. */
  add({ name, inode, type, next, entry }: ListedName): boolean {
    const head = this.#isPlus ? ENTRY_BYTES : 0;
    const length = head + ((DIRENT_BYTES + name.length + 7) & ~7);
    if (this.#length + length > this.#out.length) return false;
    if (this.#isPlus && entry) writeEntry(this.#out, this.#length, entry);
    const at = this.#length + head;
    this.#out.writeBigUInt64LE(inode, at);
    this.#out.writeBigUInt64LE(next, at + 8);
    this.#out.writeUInt32LE(name.length, at + 16);
    this.#out.writeUInt32LE(DIRENT_TYPE[type], at + 20);
    name.copy(this.#out, at + DIRENT_BYTES);
    this.#length += length;
    return true;
  }

  get bytes(): Buffer {
    return this.#out.subarray(0, this.#length);
  }
}

/** @param flags FOPEN_*; there are no handles */
export function encodeOpened(flags: number): Buffer {
  const out = Buffer.alloc(16);
  out.writeUInt32LE(flags, 8);
  return out;
}

export const OPENED = { keepCache: 1 << 1, cacheFolder: 1 << 3 } as const;

export interface ReadRequest {
  readonly offset: bigint;
  readonly size: number;
}

/** Also of READDIR and READDIRPLUS. */
export function decodeRead(body: Buffer): ReadRequest {
  return { offset: body.readBigUInt64LE(8), size: body.readUInt32LE(16) };
}

export function decodeName(body: Buffer, from = 0): Buffer {
  const end = body.indexOf(0, from);
  return Buffer.from(body.subarray(from, end === -1 ? body.length : end));
}

/** Of GETXATTR and LISTXATTR: the size of the caller's buffer; 0 asks for the size of the answer. */
export function decodeAttributeSize(body: Buffer): number {
  return body.readUInt32LE(0);
}

export const ATTRIBUTE_NAME_AT = 8;

export function encodeAttributeSize(size: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeUInt32LE(size, 0);
  return out;
}

export function decodeInterrupted(body: Buffer): bigint {
  return body.readBigUInt64LE(0);
}

const FREE_BLOCK_BYTES = 4096;

export function encodeSpace({ bytes, files }: FuseSpace): Buffer {
  const out = Buffer.alloc(80);
  out.writeBigUInt64LE(BigInt(Math.ceil(bytes / FREE_BLOCK_BYTES)), 0);
  out.writeBigUInt64LE(BigInt(files), 24);
  out.writeUInt32LE(FREE_BLOCK_BYTES, 40);
  out.writeUInt32LE(255, 44);
  out.writeUInt32LE(FREE_BLOCK_BYTES, 48);
  return out;
}
