import { open } from 'node:fs/promises';
import { platform } from 'node:process';

/** Makes a directory's entries durable. Windows has no such call and needs none: NTFS journals its metadata. */
export async function syncDirectory(path: string): Promise<void> {
  if (platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Makes a file's bytes durable. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
