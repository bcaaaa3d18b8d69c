import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));

/** Returns whether the bundle was built from the current sources, with the rule of bin/holdfast; `false` if unknown. */
export function isBundleCurrent(): boolean {
  const current = join(root, 'dist/current');
  if (!existsSync(current)) return false;
  const sources = ['src', 'package.json', 'package-lock.json', 'scripts/build.ts'].map((part) => join(root, part));
  const { status, stdout } = spawnSync('find', [...sources, '-cnewer', current], { encoding: 'utf8' });
  return status === 0 && stdout.trim() === '';
}
