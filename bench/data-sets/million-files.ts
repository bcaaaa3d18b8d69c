import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SOURCE, type DataSet } from './data-set.ts';
import { seededBytes } from './seeded-bytes.ts';

const FILES = 1_000_000;
const MOST_BYTES = 4096;
const FILES_IN_FOLDER = 1000;
const FOLDERS_IN_FOLDER = 100;

/** 1,000,000 files of 0 to 4 KiB: ten folders of a hundred folders of a thousand files. */
export const millionFiles: DataSet = {
  name: 'million',
  // Every file takes whole blocks on the disk.
  needs: (scale) => ({ files: FILES * scale, bytes: FILES * scale * MOST_BYTES }),
  build: (folder, scale) => buildFiles(join(folder, SOURCE), Math.round(FILES * scale)),
};

/** A folder of a thousand files that exists at every scale. */
export const ONE_OF_MILLION = '0/00';

async function buildFiles(source: string, files: number): Promise<void> {
  const next = seededBytes('million');
  let folder = '';
  for (let index = 0; index < files; index += 1) {
    if (index % FILES_IN_FOLDER === 0) {
      const number = index / FILES_IN_FOLDER;
      const inner = String(number % FOLDERS_IN_FOLDER).padStart(2, '0');
      folder = join(source, String(Math.floor(number / FOLDERS_IN_FOLDER)), inner);
      mkdirSync(folder, { recursive: true });
      await setImmediate();
    }
    const length = next(2).readUInt16LE() % (MOST_BYTES + 1);
    writeFileSync(join(folder, `${index}.dat`), next(length));
  }
}
