import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Removes a folder with everything in it, also what its owner may not write to or look into. */
export function removeTree(folder: string): void {
  // Root needs no right.
  if (process.geteuid?.() !== 0) spawnSync('chmod', ['-R', 'u+rwX', folder], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
