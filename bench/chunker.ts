/**
 * Measures the chunker alone. Without arguments: its speed in GB/s, the best of many short rounds, since a shared
 * machine disturbs most of them. With `--dedup [OLD NEW]`: the share of a changed file that is stored again, compared with
 * fixed-size chunks and a 64-bit gear hash; OLD and NEW are two versions of any file (such as a tar of a source tree).
 */
import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { GearScan } from '../src/archive/chunk/cut/fastcdc-javascript.ts';
import {
  chunkerOf,
  createChunker,
  createJavascriptChunker,
  NORMAL_CHUNK,
  type Chunker,
} from '../src/archive/chunk/cut/fastcdc.ts';
import { allCuts, bytesOf, randomBytes } from '../test/system/archive/chunk/cut/fastcdc-data.ts';

const MIB = 1024 * 1024;

const { values, positionals } = parseArgs({ options: { dedup: { type: 'boolean' } }, allowPositionals: true });
if (values.dedup) printDedup(positionals[0], positionals[1]);
else printSpeeds();

function printSpeeds(): void {
  const length = 16 * MIB;
  const chunkers = { WebAssembly: createChunker(length), JavaScript: createJavascriptChunker(length) };
  for (const kind of ['random', 'text', 'zeros'] as const) {
    const bytes = bytesOf(kind, 1, 0, length);
    for (const [name, chunker] of Object.entries(chunkers)) {
      chunker.window.set(bytes);
      const speed = Math.max(...Array.from({ length: 40 }, () => speedOf(chunker, length)));
      console.log(`${kind.padEnd(8)} ${name.padEnd(12)} ${speed.toFixed(2)} GB/s`);
    }
  }
}

function speedOf(chunker: Chunker, length: number): number {
  const started = process.hrtime.bigint();
  for (let position = 0; position < length;) position += chunker.cut(position, length);
  return length / Number(process.hrtime.bigint() - started);
}

function printDedup(oldFile: string | undefined, newFile: string | undefined): void {
  const random = randomBytes(1, 256 * MIB);
  printReuse('1 KiB in front of 256 MiB', random, Buffer.concat([randomBytes(2, 1024), random]));
  const image = diskImage(256);
  printReuse('256 MiB image, 64 blocks of 4 KiB edited', image, withBlocksEdited(image, 64));
  if (oldFile !== undefined && newFile !== undefined) {
    printReuse(`${oldFile} to ${newFile}`, readFileSync(oldFile), readFileSync(newFile));
  }
}

function printReuse(name: string, before: Uint8Array, after: Uint8Array): void {
  const length = Math.max(before.length, after.length);
  const chunkers: Readonly<Record<string, Chunker>> = {
    'gear, 32 bits': createChunker(length),
    'gear, 64 bits': createWideChunker(length),
    'fixed, 1 MiB': createFixedChunker(length),
  };
  console.log(name);
  for (const [variant, chunker] of Object.entries(chunkers)) {
    const known = digestsOf(chunker, before);
    const found = digestsOf(chunker, after);
    let stored = 0;
    for (const [digest, size] of found) if (!known.has(digest)) stored += size;
    const share = ((100 * stored) / after.length).toFixed(1);
    console.log(`  ${variant.padEnd(14)} ${(stored / MIB).toFixed(2).padStart(8)} MiB anew (${share} %)`);
  }
}

function digestsOf(chunker: Chunker, bytes: Uint8Array): Map<string, number> {
  const digests = new Map<string, number>();
  let position = 0;
  for (const length of allCuts(chunker, bytes)) {
    digests.set(hash('sha256', bytes.subarray(position, (position += length)), 'hex'), length);
  }
  return digests;
}

/** Resembles a disk: pieces of 64 KiB to 4 MiB, three in ten of them zeros, three text and four incompressible. */
function diskImage(mebibytes: number): Uint8Array {
  const image = new Uint8Array(mebibytes * MIB);
  const draws = new Uint32Array(randomBytes(3, 4 * 8192).buffer);
  const kinds = ['zeros', 'text', 'random', 'zeros', 'text', 'random', 'zeros', 'text', 'random', 'random'] as const;
  for (let position = 0, index = 0; position < image.length; index += 2) {
    const length = Math.min(64 * 1024 * (1 + (draws[index]! % 64)), image.length - position);
    image.set(bytesOf(kinds[draws[index + 1]! % kinds.length]!, 100 + index, 0, length), position);
    position += length;
  }
  return image;
}

function withBlocksEdited(image: Uint8Array, count: number): Uint8Array {
  const edited = image.slice();
  const blocks = new Uint32Array(randomBytes(4, 4 * count).buffer);
  for (const [index, block] of blocks.entries()) {
    edited.set(randomBytes(5000 + index, 4096), (block % (image.length / 4096)) * 4096);
  }
  return edited;
}

function createFixedChunker(windowBytes: number): Chunker {
  return { window: new Uint8Array(windowBytes), cut: (offset, end) => Math.min(NORMAL_CHUNK, end - offset) };
}

/** FastCDC's own width, in two halves; the highest 22 or 18 of 64 bits, so that a cut depends on 64 bytes. */
function createWideChunker(windowBytes: number): Chunker {
  const window = new Uint8Array(windowBytes);
  const words = Array.from({ length: 256 }, (_, index) => createHash('sha256').update(`wide/${index}`).digest());
  const lowWords = Uint32Array.from(words, (word) => word.readUInt32LE(0));
  const highWords = Uint32Array.from(words, (word) => word.readUInt32LE(4));
  const scan: GearScan = (begin, end, below) => {
    let [low, high] = [0, 0];
    for (let position = begin - 63; position < end; position++) {
      const byte = window[position]!;
      const sum = ((low << 1) >>> 0) + lowWords[byte]!;
      high = (((high << 1) | (low >>> 31)) + highWords[byte]! + (sum > 0xff_ff_ff_ff ? 1 : 0)) | 0;
      low = sum | 0;
      if (position >= begin && high >>> 0 < below) return position;
    }
    return end;
  };
  return chunkerOf(window, scan);
}
