import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ServiceProblem } from '../request/problem.ts';
import { pageSourcesDigest } from './page-sources.ts';

/** Files of a built page: its start page, its assets, and the digest of its sources. */
export const PAGE_FILE = 'index.html';
export const ASSETS_FOLDER = 'assets';
export const SOURCES_FILE = 'sources';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Permits only this service's own files, nothing inline, nothing framed. QR codes are data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

interface PageFile {
  readonly bytes: Buffer;
  readonly zipped: Buffer;
}

/** The built portal in memory. */
export class PortalPage {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** @param name relative to the page. Throws `not_found`, or `unavailable` if the page was not built. */
  answer(name: string, request: Request): Response {
    const file = this.#files.get(name);
    if (!file) {
      if (name !== PAGE_FILE) throw new ServiceProblem('not_found');
      throw new ServiceProblem('unavailable', { detail: 'the web page is not built from its sources: npm run build' });
    }
    const isZipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    const body = isZipped ? file.zipped : file.bytes;
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: {
        ...PAGE_HEADERS,
        'content-type': MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
        'content-length': String(body.length),
        // Asset names contain a hash of their content.
        'cache-control': name === PAGE_FILE ? 'no-cache' : 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
      },
    });
  }
}

/** Opens a page that was built into a folder, or an empty one if there is none. */
export function openPageIn(folder: string): PortalPage {
  const files = new Map<string, PageFile>();
  const add = (name: string): void => {
    const bytes = readFileSync(join(folder, name));
    files.set(name, { bytes, zipped: gzipSync(bytes) });
  };
  if (existsSync(join(folder, PAGE_FILE))) {
    add(PAGE_FILE);
    for (const name of readdirSync(join(folder, ASSETS_FOLDER))) add(`${ASSETS_FOLDER}/${name}`);
  }
  return new PortalPage(files);
}

/**
 * The page that was built with this program. If it was built from other sources than the current ones, it is not served: rather
 * no page than one that does not match.
 */
export function openPage(): PortalPage {
  const root = projectFolder();
  const folder = join(root, 'dist', 'portal');
  const sources = pageSourcesDigest(root);
  const built = existsSync(join(folder, SOURCES_FILE))
    ? readFileSync(join(folder, SOURCES_FILE), 'utf8').trim()
    : undefined;
  const isCurrent = built !== undefined && (sources === undefined || sources === built);
  return isCurrent ? openPageIn(folder) : new PortalPage(new Map());
}

/** The folder of package.json: above the sources, and above their bundle. */
function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
