import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { z } from 'zod';
import { ServiceProblem } from '../request/problem.ts';

/** Encodings of request bodies, as `Accept-Encoding` offers them (RFC 7694). */
export const ACCEPTED_ENCODINGS = 'gzip, zstd';

/** Maximum bytes of a body that is read entirely. */
const MAXIMUM_JSON_BYTES = 2 * 2 ** 20;

/** Streams the decoded bytes of the body. */
export async function* bodyBytes(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') {
    yield* request.body as AsyncIterable<Uint8Array>;
    return;
  }
  const decoder = decoderOf(encoding);
  const source = Readable.from(request.body as AsyncIterable<Uint8Array>);
  source.on('error', (error) => decoder.destroy(error));
  source.pipe(decoder);
  try {
    for await (const piece of decoder) yield piece as Uint8Array;
  } catch (cause) {
    const detail = `the body is not ${encoding}`;
    throw isDecodingError(cause) ? new ServiceProblem('malformed_request', { detail, cause }) : cause;
  } finally {
    source.destroy();
  }
}

/** Reads a small JSON body with a schema: 400 if it does not match, 413 if it is too long. */
export async function readJson<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.infer<Schema>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bodyBytes(request)) {
    length += piece.length;
    if (length > MAXIMUM_JSON_BYTES) {
      throw new ServiceProblem('too_large', { detail: `the body has more than ${MAXIMUM_JSON_BYTES} bytes` });
    }
    pieces.push(piece);
  }
  return checked(parse(Buffer.concat(pieces)), schema);
}

/** Parses external input with `schema`; 400 with the first invalid field. */
export function checked<Schema extends z.ZodType>(value: unknown, schema: Schema): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const field = path.length === 0 ? 'body' : path.map(String).join('.');
  throw new ServiceProblem('malformed_request', { detail: `${field}: ${message}` });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ServiceProblem('malformed_request', { detail: 'the body is not JSON', cause });
  }
}

function decoderOf(encoding: string) {
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'zstd') return createZstdDecompress();
  throw new ServiceProblem('unsupported_media_type', { detail: `accepted content encodings: ${ACCEPTED_ENCODINGS}` });
}

function isDecodingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(String(error.code));
}
