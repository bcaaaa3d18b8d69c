import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));

/** Whether the bundle was made of the sources as they are now; where that cannot be known it was not. As bin/holdfast sees it. */
export function isBundleCurrent(): boolean {
  const current = join(root, 'dist/current');
  if (!existsSync(current)) return false;
  const sources = ['src', 'package.json', 'package-lock.json', 'scripts/build.ts'].map((part) => join(root, part));
  const { status, stdout } = spawnSync('find', [...sources, '-cnewer', current], { encoding: 'utf8' });
  return status === 0 && stdout.trim() === '';
}
