import { isBelow } from '../../model/local-path.ts';
import { readFile, realpath } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { PAGE_ORIGIN } from '../page-address.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Allows the page's own files, and frames with previews: nothing inline, no network. The window communicates only over the channels
 * of the preload script.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  'frame-src preview:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Serves the files of one folder, and none outside of it, regardless of the address or a symbolic link. */
export async function answerPageFile(
  folder: string,
  { method, url }: { readonly method: string; readonly url: string },
): Promise<Response> {
  if (method !== 'GET') return refused(405);
  const path = pathOf(url);
  const type = path === undefined ? undefined : MEDIA_TYPES[extname(path)];
  if (path === undefined || type === undefined) return refused(404);
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path));
    if (!isBelow(file, root)) return refused(404);
    return new Response(new Uint8Array(await readFile(file)), { headers: { ...HEADERS, 'content-type': type } });
  } catch {
    return refused(404);
  }
}

/** Returns the decoded path of the page's address, or `undefined` for other addresses and paths with special characters. */
function pathOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  if (`${protocol}//${host}` !== PAGE_ORIGIN) return undefined;
  try {
    const path = decodeURIComponent(pathname);
    return /^(\/[\w-][\w.-]*)+$/.test(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function refused(status: number): Response {
  return new Response('', { status, headers: HEADERS });
}
