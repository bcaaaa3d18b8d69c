import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));
const SOURCES = ['src', 'package.json', 'package-lock.json', 'scripts/build.ts'];

/** Returns whether the bundle was built from the current sources, with the rule of bin/holdfast: no source was changed or put there since. */
export function isBundleCurrent(): boolean {
  const current = join(root, 'dist/current');
  if (!existsSync(current)) return false;
  const { mtimeNs: builtAt } = statSync(current, { bigint: true });
  const folders = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = [...SOURCES, ...folders.map((name) => join('src', name))];
  return sources.every((name) => {
    const stat = statSync(join(root, name), { bigint: true, throwIfNoEntry: false });
    return stat !== undefined && stat.ctimeNs <= builtAt;
  });
}
