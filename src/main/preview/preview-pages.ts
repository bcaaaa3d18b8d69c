import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDF_TYPE } from './content-kind.ts';
import type { Gallery } from './gallery.ts';
import type { HeldPreview, Previews } from './previews.ts';

/** The scheme of previews. Each preview is a site of its own, which the browser puts into another process than the window's page. */
export const PREVIEW_SCHEME = 'preview';

export function previewAddress(preview: string): string {
  return `${PREVIEW_SCHEME}://${preview}/`;
}

/** Allows the content as a picture or sound, and the style. No scripts, no frames, no addresses of any other scheme. */
const PAGE_POLICY = [
  'sandbox',
  "default-src 'none'",
  `img-src ${PREVIEW_SCHEME}:`,
  `media-src ${PREVIEW_SCHEME}:`,
  `style-src ${PREVIEW_SCHEME}:`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Allows the scripts of the document's page (`src/renderer/document-page`) and what they fetch: the document, and what comes with pdf.js. Its origin
 * is opaque, so that it shares nothing with any other page.
 */
function documentPolicy(preview: string): string {
  const own = previewAddress(preview);
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${own}document-page.js 'wasm-unsafe-eval'`,
    `connect-src ${own}`,

    `style-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** Allows the script of the gallery's page (`src/renderer/gallery-page`), and what it fetches: the pictures that it draws. */
function galleryPolicy(gallery: string): string {
  const own = previewAddress(gallery);
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${own}gallery-page.js`,
    `connect-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

const CONTENT_POLICY = "sandbox; default-src 'none'";

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A page with an opaque origin reads only what everybody may read. Nobody else can guess the address, or is allowed to ask for it. */
const SHARED = { 'access-control-allow-origin': '*' };

const STYLE = `
:root { color-scheme: light dark; }
html, body { height: 100%; margin: 0; }
body { display: grid; place-items: center; overflow: hidden; }
img { max-width: 100%; max-height: 100vh; object-fit: contain; }
audio { width: min(30rem, calc(100% - 2rem)); }
`;

const DOCUMENT_STYLE = `
:root { color-scheme: light dark; }
body { display: grid; gap: 8px; justify-items: center; margin: 0; padding: 8px; }
canvas { box-sizing: border-box; width: 100%; max-width: 60rem; background: #fff; border: 1px solid #8886; }
`;

const PAGES = { image: '<img src="content" alt="">', audio: '<audio src="content" controls></audio>' } as const;
const DOCUMENT_PAGE = '<script src="document-page.js" defer></script>';

const GALLERY_PAGE = '<script src="gallery-page.js" defer></script>';

/** Files that come with the document's page: its script, character maps, fonts, decoders. */
const DOCUMENT_FILE = /^\/(?:document-page\.js|(?:cmaps|standard_fonts|wasm)\/[\w-][\w.-]*)$/;

/**
 * Answers requests of preview frames, from memory.
 *
 * @param documentPage folder of the page of documents
 */
export async function answerPreview(
  previews: Previews,
  documentPage: string,
  { method, url, headers }: Request,
): Promise<Response> {
  const { host, pathname } = new URL(url);
  if (method !== 'GET') return refused();
  if (previews.gallery.isOpen(host)) return answerGallery(previews.gallery, documentPage, host, pathname);
  const held = previews.find(host);
  if (held?.type === undefined) return refused();
  const isDocument = held.type === PDF_TYPE;
  const isPicture = held.type.startsWith('image/');
  if (isDocument && DOCUMENT_FILE.test(pathname)) return documentFile(join(documentPage, pathname));
  switch (pathname) {
    case '/':
      if (isDocument) return page(DOCUMENT_PAGE, documentPolicy(host));
      return page(isPicture ? PAGES.image : PAGES.audio, PAGE_POLICY);
    case '/style.css':
      return new Response(isDocument ? DOCUMENT_STYLE : STYLE, {
        headers: { ...HEADERS, 'content-type': 'text/css; charset=utf-8' },
      });
    case '/content':
      return content(held, held.type, headers.get('range'));
    case '/check':
      return isPicture ? page(GALLERY_PAGE, galleryPolicy(host), '') : refused();
    case '/gallery-page.js':
      return isPicture ? documentFile(join(documentPage, 'gallery-page.js')) : refused();
    // By this name the script fetches the picture.
    case `/${host}`:
      return isPicture ? picture({ bytes: held.bytes, type: held.type }) : refused();
    default:
      return refused();
  }
}

/** Each picture is given once, to the page that draws it. */
async function answerGallery(gallery: Gallery, folder: string, host: string, pathname: string): Promise<Response> {
  if (pathname === '/') return page(GALLERY_PAGE, galleryPolicy(host), '');
  if (pathname === '/gallery-page.js') return documentFile(join(folder, 'gallery-page.js'));
  const taken = gallery.take(pathname.slice(1));
  return taken ? picture(taken) : refused();
}

/** For the script of a gallery. */
function picture({ bytes, type }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string }): Response {
  const headers = { ...HEADERS, ...SHARED, 'content-type': type, 'content-security-policy': CONTENT_POLICY };
  return new Response(bytes, { headers });
}

async function documentFile(path: string): Promise<Response> {
  const type = path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'application/octet-stream';
  try {
    return new Response(new Uint8Array(await readFile(path)), {
      headers: { ...HEADERS, ...SHARED, 'content-type': type },
    });
  } catch {
    return refused();
  }
}

const STYLE_LINK = '<link rel="stylesheet" href="style.css">';

function page(body: string, policy: string, head = STYLE_LINK): Response {
  const html = `<!doctype html><meta charset="utf-8"><title></title>${head}${body}`;
  const headers = { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  return new Response(html, { headers });
}

/** Players ask for parts. */
function content({ bytes }: HeldPreview, type: string, range: string | null): Response {
  const headers = {
    ...HEADERS,
    ...(type === PDF_TYPE ? SHARED : {}),
    'content-type': type,
    'content-security-policy': CONTENT_POLICY,
    'accept-ranges': 'bytes',
  };
  const [, first, last = ''] = /^bytes=(\d{1,12})-(\d{0,12})$/.exec(range ?? '') ?? [];
  if (first === undefined) return new Response(bytes, { headers });
  const start = Number(first);
  const end = last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1);
  if (start > end) return new Response('', { status: 416, headers });
  return new Response(bytes.subarray(start, end + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  });
}

function refused(): Response {
  return new Response('', { status: 404, headers: HEADERS });
}
