import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Windows cannot unlink an open file: there, what a killed process left is removed by the next one. */
export function removeLeftOvers(folder: string, suffix: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith(suffix)) removeIfPossible(join(folder, name));
}

export function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Open, on a system that does not remove open files.
  }
}
