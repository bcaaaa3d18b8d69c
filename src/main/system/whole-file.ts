import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Replaces a file as a whole: after a crash at any moment it holds all of the old or all of the new. For its owner only. */
export function writeWholeFile(file: string, text: string | Uint8Array): void {
  const temporary = `${file}.${process.pid}.new`;
  try {
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
