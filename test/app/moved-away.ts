import { renameSync } from 'node:fs';

/** A disk that is unplugged: what was there is not. Answers how to plug it in again. */
export function movedAway(folder: string): () => void {
  const elsewhere = `${folder.replace(/\/+$/, '')}.away`;
  renameSync(folder, elsewhere);
  return () => renameSync(elsewhere, folder);
}
