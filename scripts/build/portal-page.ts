import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pageSourcesDigest } from '../../src/service/portal-api/page-sources.ts';
import { ASSETS_FOLDER, SOURCES_FILE } from '../../src/service/portal-api/page.ts';

const root = dirname(dirname(import.meta.dirname));

/** Builds the service's web page into a folder, which is replaced. Throws if the sources do not compile. */
export async function buildPortalPage(folder: string): Promise<void> {
  const { build } = await import('vite');
  const sources = pageSourcesDigest(root) ?? '';
  const fresh = `${folder}-${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    await build({
      root: join(root, 'src/portal'),
      configFile: false,
      envDir: false,
      logLevel: 'warn',
      base: './',
      publicDir: false,
      build: {
        outDir: fresh,
        emptyOutDir: true,
        assetsDir: ASSETS_FOLDER,
        // The page's policy permits only files of the service itself, and nothing inline.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        target: 'es2023',
        chunkSizeWarningLimit: 1_000,
      },
      // Compiles JSX without a plugin.
      oxc: { jsx: { runtime: 'automatic' } },
    });
    // Computed first and written last: a source that changes meanwhile makes the page outdated, not wrong.
    writeFileSync(join(fresh, SOURCES_FILE), `${sources}\n`);
    const old = `${fresh}-old`;
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
