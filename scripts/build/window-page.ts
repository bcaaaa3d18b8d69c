import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));

/** Builds the window's page into a folder, which is emptied. Throws where the sources are broken. */
export async function buildWindowPage(folder: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    root: join(root, 'src/renderer'),
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    base: './',
    publicDir: false,
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: 'assets',
      // The window's policy forbids everything inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2023',
      chunkSizeWarningLimit: 2_000,
    },
    // What people get, also where a test runner has said otherwise.
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    // JSX is compiled without a plug-in.
    oxc: { jsx: { runtime: 'automatic', development: false } },
  });
}
