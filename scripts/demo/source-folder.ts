import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const repository = dirname(dirname(import.meta.dirname));

/** Folders to take files from, in this order, until there are enough; the first is there after `npm ci`. */
const SOURCES = [
  join(repository, 'node_modules'),
  '/usr/share/doc',
  '/usr/share/icons',
  '/usr/share/perl5',
  '/usr/include',
];
const MEBIBYTE = 1024 * 1024;
const ENOUGH_BYTES = 160 * MEBIBYTE;
const ENOUGH_FILES = 6_000;
const TOO_LARGE = 32 * MEBIBYTE;
const FILM_BYTES = 48 * MEBIBYTE;

/** The copy, the store and two restores lie on the disk at once. */
const SPACE_FACTOR = 4;

export interface SourceFolder {
  readonly path: string;
  readonly description: string;
  /** What could not be copied, and why. */
  readonly notes: readonly string[];
}

/** Copies the person's folder, since the demo changes what it backs up and the original has to stay as it is. */
export function copyFolder(original: string, parent: string): SourceFolder {
  const { bytes } = measure(original);
  const { bavail, bsize } = statfsSync(parent);
  if (bytes * SPACE_FACTOR > bavail * bsize) {
    throw new NotEnoughSpace(
      `The demo needs ${SPACE_FACTOR} times the folder's size in ${parent} (TMPDIR), and there is less.`,
    );
  }
  const path = join(parent, basename(original) || 'folder');
  const { stderr } = spawnSync('cp', ['-a', original, path], { encoding: 'utf8', maxBuffer: 64 * MEBIBYTE });
  const notes = stderr.split('\n').filter((line) => line !== '');
  return { path, description: `a copy of ${original}, which stays as it is`, notes };
}

export class NotEnoughSpace extends Error {}

/** Builds a folder from files of this machine, with a large file, duplicates, empty ones and links. */
export function buildFolder(parent: string): SourceFolder {
  const path = join(parent, 'laptop');
  mkdirSync(path);
  let bytes = 0;
  let files = 0;
  for (const source of SOURCES.filter((folder) => existsSync(folder))) {
    const to = join(path, source.startsWith(repository) ? 'code' : basename(source));
    mkdirSync(to);
    for (const name of readdirSync(source)) {
      if (bytes > ENOUGH_BYTES || files > ENOUGH_FILES) break;
      const size = measure(join(source, name));
      if (size.largest > TOO_LARGE || name === '.cache') continue;
      spawnSync('cp', ['-a', join(source, name), join(to, name)]);
      bytes += size.bytes;
      files += size.files;
    }
  }
  addOwnFiles(path);
  return { path, description: 'built from files of this machine', notes: [] };
}

function addOwnFiles(path: string): void {
  const films = join(path, 'films');
  mkdirSync(films);
  for (const name of ['holiday.mov', 'holiday (copy).mov']) writeFileSync(join(films, name), '');
  for (let written = 0; written < FILM_BYTES; written += MEBIBYTE) {
    const piece = randomBytes(MEBIBYTE);
    for (const name of ['holiday.mov', 'holiday (copy).mov']) appendFileSync(join(films, name), piece);
  }
  linkSync(join(films, 'holiday.mov'), join(films, 'favourite.mov'));
  symlinkSync('films/holiday.mov', join(path, 'latest film'));
  writeFileSync(join(path, 'empty.txt'), '');
  mkdirSync(join(path, 'empty folder'));
  for (let index = 0; index < 20; index += 1) writeFileSync(join(path, `note ${index}.txt`), `Note ${index}\n`);
}

function measure(path: string): { bytes: number; files: number; largest: number } {
  const status = lstatSync(path);
  if (!status.isDirectory()) return { bytes: status.size, files: 1, largest: status.size };
  const total = { bytes: 0, files: 0, largest: 0 };
  for (const name of readdirSyncIfAllowed(path)) {
    const inner = measure(join(path, name));
    total.bytes += inner.bytes;
    total.files += inner.files;
    total.largest = Math.max(total.largest, inner.largest);
  }
  return total;
}

function readdirSyncIfAllowed(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
