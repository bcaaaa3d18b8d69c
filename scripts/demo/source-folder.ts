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

/** Folders to copy a share of files from; the first exists after `npm ci`. */
const SOURCES = [join(repository, 'node_modules'), '/usr/share/doc', '/usr/share/perl5', '/usr/include'];
const MEBIBYTE = 1024 * 1024;
const SHARE_BYTES = 100 * MEBIBYTE;
const SHARE_FILES = 2_500;
const TOO_LARGE = 32 * MEBIBYTE;
const SLASH = Buffer.from('/');
const FILM_BYTES = 48 * MEBIBYTE;

/** The copy, the store and two restores are on the disk at the same time. */
const SPACE_FACTOR = 4;

export interface SourceFolder {
  readonly path: string;
  readonly description: string;
  /** Files that could not be copied, with the reason. */
  readonly notes: readonly string[];
}

/** Copies the user's folder, since the demo changes what it backs up. */
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

/** Builds a folder from files of this machine, plus a large file, duplicates, empty files and links. */
export function buildFolder(parent: string): SourceFolder {
  const path = join(parent, 'laptop');
  mkdirSync(path);
  for (const source of SOURCES.filter((folder) => existsSync(folder))) copyShare(source, path);
  addOwnFiles(path);
  return { path, description: 'built from files of this machine', notes: [] };
}

/** Copies entries of `source` one by one until the limit is reached. */
function copyShare(source: string, path: string): void {
  const to = join(path, source.startsWith(repository) ? 'code' : basename(source));
  mkdirSync(to);
  let bytes = 0;
  let files = 0;
  const chosen: string[] = [];
  for (const name of readdirSync(source)) {
    const size = measure(join(source, name));
    if (size.largest > TOO_LARGE || name === '.cache') continue;
    bytes += size.bytes;
    files += size.files;
    if (bytes > SHARE_BYTES || files > SHARE_FILES) break;
    chosen.push(join(source, name));
  }
  spawnSync('cp', ['-a', ...chosen, to]);
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

/** Uses names as bytes, since not all are text. Unreadable entries count as zero. */
function measure(path: string | Buffer): { bytes: number; files: number; largest: number } {
  const status = lstatSync(path);
  if (!status.isDirectory()) return { bytes: status.size, files: 1, largest: status.size };
  const total = { bytes: 0, files: 0, largest: 0 };
  for (const name of namesIn(path)) {
    const inner = measure(Buffer.concat([Buffer.isBuffer(path) ? path : Buffer.from(path), SLASH, name]));
    total.bytes += inner.bytes;
    total.files += inner.files;
    total.largest = Math.max(total.largest, inner.largest);
  }
  return total;
}

function namesIn(path: string | Buffer): readonly Buffer[] {
  try {
    return readdirSync(path, { encoding: 'buffer' });
  } catch {
    return [];
  }
}
