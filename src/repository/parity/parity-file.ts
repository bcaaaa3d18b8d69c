import { hash } from 'node:crypto';
import { bufferOf } from '../../base/buffer-of.ts';
import { BlockCode } from './block-code.ts';
import { BLOCK_HASH_BYTES, HEADER_BYTES, parityLayout, type ParityLayout } from './parity-layout.ts';

const MAGIC = Buffer.from('HFPARITY');
const HASH_BYTES = 32;
const PACK_AT = MAGIC.length;
const BYTES_AT = PACK_AT + HASH_BYTES;
const PERCENT_AT = BYTES_AT + 4;
const CHECK_AT = PERCENT_AT + 4;
const CHECK_BYTES = HEADER_BYTES - CHECK_AT;

/** What a parity file says of itself. */
export interface ParityHeader {
  /** Hex SHA-256 of the pack. */
  readonly pack: string;
  readonly packBytes: number;
  readonly percent: number;
}

export function encodeHeader({ pack, packBytes, percent }: ParityHeader): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.set(MAGIC);
  header.write(pack, PACK_AT, 'hex');
  header.writeUInt32BE(packBytes, BYTES_AT);
  header.writeUInt32BE(percent, PERCENT_AT);
  header.set(checkOf(header), CHECK_AT);
  return header;
}

/** Parses a header; `undefined` if it is damaged or malformed. */
export function parseHeader(bytes: Uint8Array): (ParityHeader & { readonly layout: ParityLayout }) | undefined {
  const header = bufferOf(bytes);
  if (header.length !== HEADER_BYTES || !header.subarray(0, PACK_AT).equals(MAGIC)) return undefined;
  if (!checkOf(header).equals(header.subarray(CHECK_AT))) return undefined;
  const packBytes = header.readUInt32BE(BYTES_AT);
  const percent = header.readUInt32BE(PERCENT_AT);
  try {
    const layout = parityLayout(packBytes, percent);
    return { pack: header.toString('hex', PACK_AT, BYTES_AT), packBytes, percent, layout };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function checkOf(header: Buffer): Buffer {
  return hash('sha256', header.subarray(0, CHECK_AT), 'buffer').subarray(0, CHECK_BYTES);
}

/** Computes the parity file of a pack. The same pack and share give the same bytes. */
export function encodeParity(pack: Uint8Array, percent: number): Buffer<ArrayBuffer> {
  const layout = parityLayout(pack.length, percent);
  const { blocks, sets, data, parity, blockBytes, hashesBytes, parityOffset, secondHashesOffset, fileBytes } = layout;
  const code = new BlockCode({ data, parity, blockBytes });
  const file = Buffer.alloc(fileBytes);
  const header = encodeHeader({ pack: hash('sha256', pack, 'hex'), packBytes: pack.length, percent });
  file.set(header);
  const setHash = (block: number, bytes: Uint8Array): void =>
    file.set(blockHash(bytes), HEADER_BYTES + block * BLOCK_HASH_BYTES);
  for (let set = 0; set < sets; set += 1) {
    for (let column = 0; column < data; column += 1) {
      const index = column * sets + set;
      const block = code.data(column);
      copyPadded(pack, index * blockBytes, block);
      if (index < blocks) setHash(index, block);
    }
    code.encode();
    for (let row = 0; row < parity; row += 1) {
      const index = row * sets + set;
      const block = code.parity(row);
      file.set(block, parityOffset + index * blockBytes);
      setHash(blocks + index, block);
    }
  }
  file.copy(file, secondHashesOffset, HEADER_BYTES, HEADER_BYTES + hashesBytes);
  file.set(header, fileBytes - HEADER_BYTES);
  return file;
}

/** A damaged pack, with what there is to mend it. */
export interface DamagedPack {
  /** Hex SHA-256 of the pack. */
  readonly pack: string;
  /** Bytes that may be a part of the pack, in their places: the damaged file and copies of it. None if it is lost. */
  readonly copies: readonly Uint8Array[];
  /** The parity file, perhaps damaged, cut off or of somebody else. */
  readonly parity: Uint8Array;
}

/** Computes the bytes of a pack, which are those that its name says; `undefined` if too much is damaged. */
export function mendPack({ pack, copies, parity: file }: DamagedPack): Buffer<ArrayBuffer> | undefined {
  const header = parseHeader(file.subarray(0, HEADER_BYTES)) ?? parseHeader(file.subarray(-HEADER_BYTES));
  if (header?.pack !== pack) return undefined;
  const { layout, packBytes } = header;
  const { sets, data, parity, blockBytes, parityOffset } = layout;
  const isSound = soundness(layout, file);
  const code = new BlockCode({ data, parity, blockBytes });
  const mended = Buffer.alloc(packBytes);
  for (let set = 0; set < sets; set += 1) {
    const missing: number[] = [];
    for (let column = 0; column < data; column += 1) {
      const index = column * sets + set;
      const block = code.data(column);
      // Blocks behind the end are zeros.
      if (index < layout.blocks && !copySound(copies, index, block, isSound)) missing.push(column);
      else if (index >= layout.blocks) block.fill(0);
    }
    const rows: number[] = [];
    for (let row = 0; row < parity && rows.length < missing.length; row += 1) {
      const index = row * sets + set;
      const block = code.parity(row);
      copyPadded(file, parityOffset + index * blockBytes, block);
      if (isSound(layout.blocks + index, block)) rows.push(row);
    }
    if (rows.length < missing.length) return undefined;
    if (missing.length > 0) code.rebuild(missing, rows);
    for (let column = 0; column < data; column += 1) {
      const at = (column * sets + set) * blockBytes;
      if (at < packBytes) mended.set(code.data(column).subarray(0, packBytes - at), at);
    }
  }
  return hash('sha256', mended, 'hex') === pack ? mended : undefined;
}

/** Copies the block from the first copy in which it is sound. */
function copySound(
  copies: readonly Uint8Array[],
  index: number,
  block: Uint8Array,
  isSound: (block: number, bytes: Uint8Array) => boolean,
): boolean {
  return copies.some((copy) => {
    copyPadded(copy, index * block.length, block);
    return isSound(index, block);
  });
}

/** A block is sound if it has one of its two hashes: what is damaged in them costs only the blocks of both. */
function soundness(
  { secondHashesOffset }: ParityLayout,
  file: Uint8Array,
): (block: number, bytes: Uint8Array) => boolean {
  const hashes = bufferOf(file);
  return (block, bytes) => {
    const found = blockHash(bytes);
    return [HEADER_BYTES, secondHashesOffset].some((offset) => {
      const at = offset + block * BLOCK_HASH_BYTES;
      return found.equals(hashes.subarray(at, at + BLOCK_HASH_BYTES));
    });
  };
}

function blockHash(block: Uint8Array): Buffer {
  return hash('sha256', block, 'buffer').subarray(0, BLOCK_HASH_BYTES);
}

/** Copies a block, with zeros where the source has ended. */
function copyPadded(source: Uint8Array, at: number, block: Uint8Array): void {
  const part = source.subarray(Math.min(at, source.length), at + block.length);
  block.set(part);
  block.fill(0, part.length);
}
