import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildDocumentPage } from './document-page.ts';
import { buildWindowPage } from './window-page.ts';

const root = dirname(dirname(import.meta.dirname));

/** Sources of the app's own part; the agent is in the CLI's bundle (scripts/build.ts). */
const SOURCES = [
  'src/base',
  'src/main',
  'src/preload',
  'src/renderer',
  'src/ui',
  'src/ipc',
  'src/strings',
  'scripts/build',
  'package.json',
  'package-lock.json',
];
const SOURCES_FILE = 'sources';

/** Returns whether the folder was built from the current sources. */
export function isAppCurrent(folder: string): boolean {
  try {
    return readFileSync(join(folder, SOURCES_FILE), 'utf8').trim() === sourcesDigest();
  } catch {
    return false;
  }
}

/**
 * Builds Electron's main process (`main.cjs`), the preload script (`preload.cjs`) and the window's page (`window/`) into
 * a folder, which is replaced. Throws if the sources do not compile.
 */
export async function buildApp(folder: string): Promise<void> {
  const sources = sourcesDigest();
  const fresh = `${folder}-${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    await buildWindowPage(join(fresh, 'window'));
    await buildDocumentPage(join(fresh, 'document'));
    await bundle('src/main/main.ts', join(fresh, 'main.cjs'));
    await bundle('src/preload/preload.ts', join(fresh, 'preload.cjs'));
    // Computed first and written last: a source that changes meanwhile makes the app outdated, not wrong.
    writeFileSync(join(fresh, SOURCES_FILE), `${sources}\n`);
    const old = `${fresh}-old`;
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A sandboxed preload script and a packaged main process are one CommonJS file each. */
async function bundle(source: string, file: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({
    cwd: root,
    input: source,
    external: ['electron'],
    platform: 'node',
    checks: { ineffectiveDynamicImport: false },
  });
  await bundled.write({ file, format: 'cjs', codeSplitting: false });
}

function sourcesDigest(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of filesOf(source)) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function filesOf(source: string): readonly string[] {
  if (/\.\w+$/.test(source)) return [source];
  const entries = readdirSync(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
