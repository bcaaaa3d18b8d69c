import {
  accessSync,
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { filesOf, type FolderState } from './folder-state.ts';

const INSERTED = 'A line that was not here before.\n';
const PIECE = 4 * 1024 * 1024;

/** What the demo does to the folder between the two backups, in words. */
export function changeFolder(root: string, state: FolderState): readonly string[] {
  // Names that are plain text, in folders that may be written to; the other files are backed up all the same.
  const files = filesOf(state)
    .filter(([path]) => /^[\x20-\x7e]+$/.test(path) && mayWrite(join(root, path)))
    .toSorted(([, a], [, b]) => b.size - a.size)
    .map(([path, { size }]) => ({ path: join(root, path), size }));
  const [largest, ...others] = files;
  const done: string[] = [];
  if (largest) {
    insertAtFront(largest.path, join(root, '.inserting'));
    done.push('inserted a line at the front of the largest file');
  }
  // A handful of the smaller half: each gets its own fate.
  const small = others.slice(Math.floor(others.length / 2));
  const edited = small.slice(0, 3);
  for (const { path } of edited) {
    chmodSync(path, 0o640);
    appendFileSync(path, 'One more line.\n');
  }
  const deleted = small.slice(3, 5);
  for (const { path } of deleted) rmSync(path);
  const renamed = small.slice(5, 7);
  for (const { path } of renamed) renameSync(path, `${path}.renamed`);
  mkdirSync(join(root, 'added by the demo'));
  writeFileSync(join(root, 'added by the demo', 'new.txt'), 'A new file in a new folder.\n');
  done.push(`edited ${edited.length}, deleted ${deleted.length}, renamed ${renamed.length}, added 1 in a new folder`);
  return done;
}

/** A copy of somebody's folder may have folders in it that are read-only. */
function mayWrite(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes a line and then all of the old file, piece by piece, in its place. */
function insertAtFront(path: string, temporary: string): void {
  const [from, to] = [openSync(path, 'r'), openSync(temporary, 'wx', 0o644)];
  const piece = Buffer.allocUnsafe(PIECE);
  writeSync(to, INSERTED);
  for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) writeSync(to, piece.subarray(0, read));
  closeSync(from);
  closeSync(to);
  renameSync(temporary, path);
}
