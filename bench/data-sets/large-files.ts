import { closeSync, mkdirSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE, type DataSet } from './data-set.ts';
import { seededBytes, writeSeededFile } from './seeded-bytes.ts';

const FILES = 64;
const FILE_BYTES = 64 * 1024 * 1024;

/** 4 GiB in 64 incompressible files. */
export const largeFiles: DataSet = {
  name: 'large',
  needs: (scale) => ({ files: FILES, bytes: FILES * fileBytes(FILE_BYTES, scale) }),
  build: (folder, scale) => buildFiles(join(folder, SOURCE), FILES, fileBytes(FILE_BYTES, scale)),
};

const LINK_FILES = 40;
const LINK_FILE_BYTES = 10_000_000;

/** 400 MB in 40 files, for the slow link. */
export const linkFiles: DataSet = {
  name: 'link',
  needs: (scale) => ({ files: LINK_FILES, bytes: LINK_FILES * fileBytes(LINK_FILE_BYTES, scale) }),
  build: (folder, scale) => buildFiles(join(folder, SOURCE), LINK_FILES, fileBytes(LINK_FILE_BYTES, scale)),
};

function fileBytes(bytes: number, scale: number): number {
  return Math.max(1, Math.round(bytes * scale));
}

async function buildFiles(folder: string, count: number, bytes: number): Promise<void> {
  mkdirSync(folder);
  for (let index = 0; index < count; index += 1) {
    const name = `${String(index).padStart(2, '0')}.bin`;
    await writeSeededFile(join(folder, name), name, bytes);
  }
}

/**
 * Changes 1 % of each file in place, in one piece at a seeded position. It inverts every byte, so that the second
 * call restores the content.
 */
export function editFiles(folder: string): void {
  const source = join(folder, SOURCE);
  for (const name of readdirSync(source))
    invertPiece(join(source, name), seededBytes(`edit ${name}`)(4).readUInt32LE());
}

function invertPiece(path: string, draw: number): void {
  const { size } = statSync(path);
  const piece = Buffer.alloc(Math.ceil(size / 100));
  const position = draw % (size - piece.length + 1);
  const file = openSync(path, 'r+');
  readSync(file, piece, 0, piece.length, position);
  for (const [index, byte] of piece.entries()) piece[index] = byte ^ 0xff;
  writeSync(file, piece, 0, piece.length, position);
  closeSync(file);
}
