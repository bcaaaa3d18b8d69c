import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Handler, Route } from '../routes.ts';
import { openApiDocument } from './document.ts';

const OPEN_API_PATH = '/openapi.json';

/** Stands for the address of the service while the document is written. */
const ADDRESS = 'https://address.invalid';

/** Addresses whose document is kept compressed. Without a public address a request names any that it likes. */
const MOST_ADDRESSES = 8;

interface Written {
  readonly bytes: Buffer;
  readonly tag: string;
  readonly zipped?: Buffer;
}

/** Serves the description of the interface, which is written once. @param others the other routes of the service */
export function openApiRoutes(others: readonly Route[]): readonly Route[] {
  const offered = new Set([`GET ${OPEN_API_PATH}`, ...others.flatMap(namesOf)]);
  return [{ path: OPEN_API_PATH, methods: { GET: createDocument(offered) } }];
}

function createDocument(offered: ReadonlySet<string>): Handler {
  let parts: readonly string[] | undefined;
  const kept = new Map<string, Written>();
  const write = (baseUrl: string): Written => {
    parts ??= JSON.stringify(openApiDocument(ADDRESS, offered)).split(JSON.stringify(ADDRESS));
    const bytes = Buffer.from(parts.join(JSON.stringify(baseUrl)));
    const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    if (kept.size >= MOST_ADDRESSES) return { bytes, tag };
    const written = { bytes, tag, zipped: gzipSync(bytes) };
    kept.set(baseUrl, written);
    return written;
  };
  return async ({ request, baseUrl }) => {
    const { bytes, tag, zipped } = kept.get(baseUrl) ?? write(baseUrl);
    const headers = { etag: tag, 'cache-control': 'no-cache', vary: 'accept-encoding' };
    if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
    const isZipped = zipped !== undefined && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    const body = isZipped ? zipped : bytes;
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(body.length),
        ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
      },
    });
  };
}

function namesOf({ path, methods }: Route): readonly string[] {
  return Object.keys(methods).map((method) => `${method} ${path}`);
}
