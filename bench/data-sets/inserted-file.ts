import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE, type DataSet } from './data-set.ts';
import { appendSeeded, writeSeededFile } from './seeded-bytes.ts';

const FILE_BYTES = 8 * 1024 ** 3;
const INSERTED_BYTES = 1024;

/** A file of 8 GiB, and a copy with 1 KiB inserted in front that replaces it later. */
export const insertedFile: DataSet = {
  name: 'insert',
  needs: (scale) => ({ files: 1, bytes: Math.round(FILE_BYTES * scale) }),
  needsBeside: (scale) => ({ files: 1, bytes: Math.round(FILE_BYTES * scale) + INSERTED_BYTES }),
  async build(folder, scale) {
    const bytes = Math.round(FILE_BYTES * scale);
    mkdirSync(join(folder, SOURCE));
    await writeSeededFile(join(folder, SOURCE, 'image'), 'image', bytes);
    await writeSeededFile(join(folder, 'inserted'), 'front', INSERTED_BYTES);
    await appendSeeded(join(folder, 'inserted'), 'image', bytes);
  },
};

/** Replaces the file as an editor does: with a new file under the old name. */
export function insert(folder: string): void {
  renameSync(join(folder, SOURCE, 'image'), join(folder, 'plain'));
  renameSync(join(folder, 'inserted'), join(folder, SOURCE, 'image'));
}

export function undoInsert(folder: string): void {
  renameSync(join(folder, SOURCE, 'image'), join(folder, 'inserted'));
  renameSync(join(folder, 'plain'), join(folder, SOURCE, 'image'));
}
