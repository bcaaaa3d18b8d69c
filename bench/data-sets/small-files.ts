import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SOURCE, type DataSet } from './data-set.ts';
import { seededBytes } from './seeded-bytes.ts';

const repository = dirname(dirname(import.meta.dirname));

const FILES = 200_000;
/** The approximate mean size of files below `LARGEST_BYTES`: about 1.9 GB in total. */
const MEAN_BYTES = 10_000;
const LARGEST_BYTES = 256 * 1024;
const ORIGINS = ['/usr', '/opt', join(repository, 'node_modules')];

/** Replaces the first bytes of a copy, so that it does not deduplicate. */
const OWN_BYTES = 16;

const FILES_AT_ONCE = 100;

/** 200,000 small files copied from this machine: programs, headers, pictures, documentation, code. */
export const smallFiles: DataSet = {
  name: 'small',
  // Every file takes whole blocks on the disk, half a block more on average.
  needs: (scale) => ({ files: FILES * scale * 1.2, bytes: FILES * scale * (MEAN_BYTES + 2048) }),
  build: (folder, scale) => copyFiles(join(folder, SOURCE), Math.round(FILES * scale)),
};

/** Picks files at even distances if there are too many, and repeats them if there are too few. */
async function copyFiles(source: string, wanted: number): Promise<void> {
  const found = ORIGINS.filter((origin) => existsSync(origin)).flatMap((origin) => Array.from(smallFilesIn(origin)));
  for (let pass = 0, copied = 0; copied < wanted && found.length > 0; pass += 1) {
    const count = Math.min(found.length, wanted - copied);
    const top = pass === 0 ? 'files' : seededBytes(`pass ${pass}`)(6).toString('hex');
    for (let index = 0; index < count; index += 1) {
      const original = found[Math.floor((index * found.length) / count)]!;
      copyFile(original, join(source, top, original), pass);
      if (index % FILES_AT_ONCE === 0) await setImmediate();
    }
    copied += count;
  }
}

function copyFile(original: string, to: string, pass: number): void {
  const content = readFileSync(original);
  if (pass > 0) seededBytes(`${pass} ${original}`)(Math.min(OWN_BYTES, content.length)).copy(content);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, content);
}

/** Lists readable regular files in order of their names. */
function* smallFilesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* smallFilesIn(path);
    else if (entry.isFile() && lstatSync(path).size <= LARGEST_BYTES) yield path;
  }
}

function byName({ name: left }: { readonly name: string }, { name: right }: { readonly name: string }): number {
  return left < right ? -1 : 1;
}
