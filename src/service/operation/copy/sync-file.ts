import { open } from 'node:fs/promises';

/** The file's bytes are on disk when it resolves. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
