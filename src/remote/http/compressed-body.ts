import { pipeline, Readable } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';

/** Compresses a body if the service accepts that (RFC 7694). Zstandard takes a fifth of gzip's time. */
export function compressed(
  body: () => AsyncIterable<Uint8Array>,
  encodings: ReadonlySet<string>,
): { readonly body: () => AsyncIterable<Uint8Array>; readonly headers?: Readonly<Record<string, string>> } {
  if (encodings.has('zstd')) {
    return { body: () => through(body(), createZstdCompress()), headers: { 'content-encoding': 'zstd' } };
  }
  if (encodings.has('gzip')) {
    const gzip = (): NodeJS.ReadWriteStream => createGzip({ level: constants.Z_BEST_SPEED });
    return { body: () => through(body(), gzip()), headers: { 'content-encoding': 'gzip' } };
  }
  return { body };
}

function through(body: AsyncIterable<Uint8Array>, compressor: NodeJS.ReadWriteStream): AsyncIterable<Uint8Array> {
  // An error destroys the compressor, whose iterator then throws it.
  pipeline(Readable.from(body, { objectMode: false }), compressor, () => undefined);
  return compressor as unknown as AsyncIterable<Uint8Array>;
}
