import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));

/** Builds the window's page into a folder, which is emptied. Throws if the sources do not compile. */
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
    // The production build, even if a test runner has set another environment.
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    // Compiles JSX without a plugin.
    oxc: { jsx: { runtime: 'automatic', development: false } },
  });
}
