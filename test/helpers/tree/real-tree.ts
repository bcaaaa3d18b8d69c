import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildTree } from './build.ts';
import { file, hardLink, type Tree } from './nodes.ts';

const repository = dirname(dirname(dirname(import.meta.dirname)));

/** Folders that most machines have; missing ones are skipped, the first one always exists. */
const SOURCES = [
  join(repository, 'node_modules/zod'),
  join(repository, 'node_modules/hono'),
  join(repository, 'node_modules/.bin'),
  '/usr/share/zoneinfo/Europe',
  '/usr/share/zoneinfo/America',
  '/usr/share/perl5',
  '/usr/lib/python3/dist-packages/pip',
];

const MEBIBYTE = 1024 * 1024;

/** Files that are rare in real folders: large, empty and duplicate ones. */
const additions: Tree = {
  'holiday.mov': file({ seed: 42, size: 40 * MEBIBYTE }),
  'holiday copy.mov': file({ seed: 42, size: 40 * MEBIBYTE }),
  'archive.bin': file({ seed: 43, size: 17 * MEBIBYTE + 1 }),
  'archive, second name.bin': hardLink('archive.bin'),
  ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`empty ${index}`, file()])),
  ...Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`note ${index}.txt`, file(`note ${index % 100}\n`)]),
  ),
};

/** A few thousand files of this machine with their modes and times, and some large, empty and duplicate ones. */
export async function buildRealTree(root: string): Promise<void> {
  mkdirSync(root, { recursive: true });
  for (const source of SOURCES.filter((folder) => existsSync(folder))) {
    const words = ['-a', source, join(root, basename(source))];
    const { status, stderr, error } = spawnSync('cp', words, { encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0) throw new Error(`cp: ${stderr}`);
  }
  await buildTree(join(root, 'made'), additions);
}

/** Counts the regular files in `root` at any depth; each name of a file counts. */
export function countFiles(root: string): number {
  return sizesIn(root).length;
}

/** Returns the bytes of all regular files in `root`; each name of a file counts. */
export function countBytes(root: string): number {
  return sizesIn(root).reduce((sum, size) => sum + size, 0);
}

/** Uses `find`, which handles names that are not valid text. */
function sizesIn(root: string): readonly number[] {
  const { stdout, status } = spawnSync('find', [root, '-type', 'f', '-printf', '%s\n'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`find ${root} failed`);
  return stdout.split('\n').slice(0, -1).map(Number);
}
