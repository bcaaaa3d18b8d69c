import { closeSync, openSync, readdirSync, unlinkSync, writeSync } from 'node:fs';
import { fileBeginsWith } from '../file-beginning.ts';
import type { Folder } from '../folder.ts';

/** Names of the folders that get what a restore or an undo moves out of its place. */
const NAME = /^Before (?:restore|undo) \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d$/;

/** The file that tells such a folder from one that a person has named like it. */
export const SIDE_MARKER = '.holdfast-side-folder';

/** A file that does not begin with this is no marker. */
const SIGNATURE = 'Signature: 5f0e6a41d7b04c92-holdfast-side-folder\n';
const SIGNATURE_BYTES = Buffer.from(SIGNATURE);
const TEXT = `${SIGNATURE}
A restore has moved the files in this folder out of their places. Backups leave the folder out.
Rename it, or delete this file, and the next backup includes it.
`;

/** Returns whether a folder may be one that a restore has made: only then its marker is worth looking for. */
export function isSideFolderName(name: string): boolean {
  return NAME.test(name);
}

/** Marks a folder that a restore has just made. Throws a system error. @returns the path of the marker */
export function markSideFolder(folder: Folder): string | Buffer {
  const path = folder.pathOf(SIDE_MARKER);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, TEXT);
  } finally {
    closeSync(file);
  }
  return path;
}

/** Takes the marker out of a folder that has nothing else. */
export function unmarkIfEmpty(folder: Folder): void {
  const names = readdirSync(folder.self);
  if (names.length === 1 && names[0] === SIDE_MARKER) unlinkSync(folder.pathOf(SIDE_MARKER));
}

/** Returns whether a folder has the marker. @param pathOfMarker of `SIDE_MARKER` in it */
export function hasSideMarker(pathOfMarker: string | Buffer): boolean {
  return fileBeginsWith(pathOfMarker, SIGNATURE_BYTES);
}
