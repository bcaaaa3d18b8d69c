import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sources of the page, relative to the project's folder. */
const SOURCES = [
  'src/portal',
  'src/ui',
  'src/strings/digits.ts',
  'src/strings/formats.ts',
  'src/strings/messages.ts',
  'src/strings/time-formats.ts',
  'src/protocol',
  'package-lock.json',
  'scripts/build/portal-page.ts',
];

/** Returns a digest of all sources of the page, or `undefined` without sources, as in a package. */
export function pageSourcesDigest(root: string): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const source of SOURCES) {
      for (const file of filesOf(root, source)) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return hash.digest('hex');
}

function filesOf(root: string, source: string): readonly string[] {
  if (/\.\w+$/.test(source)) return [source];
  const entries = readdirSync(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
