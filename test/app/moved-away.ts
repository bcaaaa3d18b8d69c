import { renameSync } from 'node:fs';

/** Unplugs a disk. Returns a function that plugs it in again. */
export function movedAway(folder: string): () => void {
  const elsewhere = `${folder.replace(/\/+$/, '')}.away`;
  renameSync(folder, elsewhere);
  return () => renameSync(elsewhere, folder);
}
