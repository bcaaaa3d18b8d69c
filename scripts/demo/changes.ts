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

/** Changes the folder between the two backups. Returns a description of each change. */
export function changeFolder(root: string, state: FolderState): readonly string[] {
  // Only files with text names in writable folders change; the others are backed up, too.
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
  // A few of the smaller half, each changed in its own way.
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

/** Returns whether files can be created in a folder: a copy may contain read-only folders. */
function mayWrite(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Replaces a file with a line followed by its old contents, piece by piece. */
function insertAtFront(path: string, temporary: string): void {
  const [from, to] = [openSync(path, 'r'), openSync(temporary, 'wx', 0o644)];
  const piece = Buffer.allocUnsafe(PIECE);
  writeSync(to, INSERTED);
  for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) writeSync(to, piece.subarray(0, read));
  closeSync(from);
  closeSync(to);
  renameSync(temporary, path);
}
