import { Readable } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import type { z } from 'zod';
import { arrivingBytes } from '../request/arriving-bytes.ts';
import { inTime } from '../request/in-time.ts';
import { ServiceProblem } from '../request/problem.ts';

/** Encodings of request bodies, as `Accept-Encoding` offers them (RFC 7694). */
export const ACCEPTED_ENCODINGS = 'gzip, zstd';

/** Maximum bytes of a body that is read entirely. */
const MAXIMUM_JSON_BYTES = 2 * 2 ** 20;

/** Milliseconds in which such a body arrives. */
const BODY_WITHIN = 30_000;

/**
 * Bytes that a body may have decoded, whatever its encoding, and for each of its encoded bytes beyond that. Manifests of files with
 * the same chunks compress best.
 */
const DECODED_FREELY = 512 * 2 ** 20;
const DECODED_RATIO = 100;

/** Power of two of the largest window, in bytes: RFC 8878, 3.1.1.1.2 recommends that decoders accept 8 MiB. */
const ZSTD_WINDOW = 23;

/** Streams the decoded bytes of the body. */
export async function* bodyBytes(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') {
    yield* arrivingBytes(request);
    return;
  }
  const decoder = decoderOf(encoding);
  const encoded = new CountedBytes(arrivingBytes(request));
  const source = Readable.from(encoded);
  let decoded = 0;
  source.on('error', (error) => decoder.destroy(error));
  source.pipe(decoder);
  try {
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      decoded += piece.length;
      if (decoded > DECODED_FREELY + encoded.bytes * DECODED_RATIO) {
        throw new ServiceProblem('too_large', { detail: 'the body is compressed too much' });
      }
      yield piece;
    }
  } catch (cause) {
    const detail = `the body is not ${encoding}`;
    throw isDecodingError(cause) ? new ServiceProblem('malformed_request', { detail, cause }) : cause;
  } finally {
    source.destroy();
    decoder.destroy();
  }
}

/** Counts bytes as they are read. */
class CountedBytes implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  bytes = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#source) {
      this.bytes += piece.length;
      yield piece;
    }
  }
}

/** Small bodies that have arrived. */
const received = new WeakMap<Request, Promise<Buffer>>();

/** Reads a small JSON body with a schema: 400 if it does not match, 408 and 413 as `receiveBody`. */
export async function readJson<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.infer<Schema>> {
  return checked(parse(await receiveBody(request)), schema);
}

/** Reads a small body, which `readJson` may then read again: 408 if it takes too long, 413 if it has more than `most` bytes. */
export function receiveBody(request: Request, most = MAXIMUM_JSON_BYTES): Promise<Buffer> {
  let body = received.get(request);
  if (!body) {
    body = inTime(readAll(request, most), BODY_WITHIN, `the body took more than ${BODY_WITHIN / 1000} s`);
    received.set(request, body);
  }
  return body;
}

async function readAll(request: Request, most: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLong(most);
  for await (const piece of bodyBytes(request)) {
    length += piece.length;
    if (length > most) throw tooLong(most);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLong(most: number): ServiceProblem {
  return new ServiceProblem('too_large', { detail: `the body has more than ${most} bytes` });
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
  if (encoding === 'zstd') return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW } });
  throw new ServiceProblem('unsupported_media_type', { detail: `accepted content encodings: ${ACCEPTED_ENCODINGS}` });
}

function isDecodingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(String(error.code));
}
