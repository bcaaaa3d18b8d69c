import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SOURCE, type DataSet } from './data-set.ts';
import { seededBytes } from './seeded-bytes.ts';

const repository = dirname(dirname(import.meta.dirname));

const FILES = 200_000;
/** The mean of what is found below `LARGEST_BYTES`, roughly: about 1.9 GB in all. */
const MEAN_BYTES = 10_000;
const LARGEST_BYTES = 256 * 1024;
const ORIGINS = ['/usr', '/opt', join(repository, 'node_modules')];

/** What a copy has in front in place of its own bytes, so that it does not deduplicate. */
const OWN_BYTES = 16;

const FILES_AT_ONCE = 100;

/** 200,000 small files as they lie on this machine: programs, headers, pictures, documentation, code. */
export const smallFiles: DataSet = {
  name: 'small',
  // On the disk every file takes whole blocks, half a one more in the mean.
  needs: (scale) => ({ files: FILES * scale * 1.2, bytes: FILES * scale * (MEAN_BYTES + 2048) }),
  build: (folder, scale) => copyFiles(join(folder, SOURCE), Math.round(FILES * scale)),
};

/** Where there are more files than wanted, evenly spread ones; where there are fewer, all of them again and again. */
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

/** Regular files that can be read, in the order of their names. */
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
