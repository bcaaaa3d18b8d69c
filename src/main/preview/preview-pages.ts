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

const CONTENT_POLICY = "sandbox; default-src 'none'";

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const STYLE = `
:root { color-scheme: light dark; }
html, body { height: 100%; margin: 0; }
body { display: grid; place-items: center; overflow: hidden; }
img { max-width: 100%; max-height: 100vh; object-fit: contain; }
audio { width: min(30rem, calc(100% - 2rem)); }
`;

const PAGES = { image: '<img src="content" alt="">', audio: '<audio src="content" controls></audio>' } as const;

/** Answers requests of preview frames, from memory. */
export function answerPreview(previews: Previews, { method, url, headers }: Request): Response {
  const { host, pathname } = new URL(url);
  const held = previews.find(host);
  if (method !== 'GET' || held?.type === undefined) return refused();
  switch (pathname) {
    case '/':
      return page(held.type.startsWith('image/') ? PAGES.image : PAGES.audio);
    case '/style.css':
      return new Response(STYLE, { headers: { ...HEADERS, 'content-type': 'text/css; charset=utf-8' } });
    case '/content':
      return content(held, held.type, headers.get('range'));
    default:
      return refused();
  }
}

function page(body: string): Response {
  const html = `<!doctype html><meta charset="utf-8"><title></title><link rel="stylesheet" href="style.css">${body}`;
  const headers = { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  return new Response(html, { headers });
}

/** Players ask for parts. */
function content({ bytes }: HeldPreview, type: string, range: string | null): Response {
  const headers = {
    ...HEADERS,
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
