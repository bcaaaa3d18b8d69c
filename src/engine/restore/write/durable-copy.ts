import { closeSync, constants, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { setFileMetadata, type Metadata } from './metadata.ts';

/** Windows syncs only a file that is open for writing; elsewhere the mode of the copy may forbid that. */
const MODE = process.platform === 'win32' ? constants.O_RDWR : constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Copies a file, its attributes included, and waits until the copy is on disk. Its name has to be made durable by the caller. Throws a
 * system error; the copy may exist then.
 *
 * @param attributes called when the data is copied; may throw
 */
export function copyDurably(from: string | Buffer, to: string | Buffer, attributes: () => Metadata): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const file = openSync(to, MODE);
  try {
    setFileMetadata(file, to, attributes());
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
