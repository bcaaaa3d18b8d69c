import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(import.meta.dirname));

/** What documents may refer to without containing it, and decoders of their images. */
const FOLDERS = ['cmaps', 'standard_fonts', 'wasm'];
/** Scripts of documents, which are never run, and decoders for browsers without WebAssembly. */
const LEFT_OUT = /(?:quickjs-eval|_nowasm_fallback)[^/]*$/;

/** The pages of sandboxed frames: of PDF documents, and the one that draws thumbnails. */
const PAGES = ['document-page', 'gallery-page'];

/** Builds the pages of previews into a folder: a script for each, and files that pdf.js fetches. */
export async function buildDocumentPage(folder: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  for (const name of PAGES) {
    const bundled = await rolldown({
      cwd: root,
      input: `src/renderer/${name}/${name}.ts`,
      platform: 'browser',
      // For Node, and for modules, neither of which it is here.
      transform: { define: { 'import.meta': '{}' } },
    });
    // No module: the page's opaque origin would need permission to load it from its own address.
    await bundled.write({ file: join(folder, `${name}.js`), format: 'iife', codeSplitting: false, minify: true });
  }
  const source = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')));
  mkdirSync(folder, { recursive: true });
  for (const name of FOLDERS) {
    cpSync(join(source, name), join(folder, name), { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  }
}
