import { closeSync, constants, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { isPassing, setFileMetadata, type MetadataLoss } from './metadata.ts';
import type { Metadata } from '../record/planned-entry.ts';

/** Windows syncs only a file that is open for writing; elsewhere the mode of the copy may forbid that. */
const MODE = process.platform === 'win32' ? constants.O_RDWR : constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Copies a file, its attributes included, and waits until the copy is on disk. Its name has to be made durable by the caller. Throws a
 * system error, also if there is no room for an attribute; the copy may exist then.
 *
 * @param attributes called when the data is copied; may throw
 */
export function copyDurably(from: string | Buffer, to: string | Buffer, attributes: () => Metadata): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const file = openSync(to, MODE);
  try {
    requireSet(setFileMetadata(file, to, attributes()));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Throws the system error of an attribute that could not be set and that another try may set. The file system may lack the others. */
export function requireSet(losses: readonly MetadataLoss[]): void {
  const loss = losses.find(isPassing);
  if (loss) throw Object.assign(new Error(`${loss.code}: ${loss.attribute} of a copy`), { code: loss.code });
}
