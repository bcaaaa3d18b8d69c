import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { HttpResponse } from './http-client.ts';

/** A body that is not in the coding that its head states. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';
}

/** This program asks for no coding of responses, which permits any (RFC 9110, section 12.5.3). */
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Returns the coding of a response; `undefined` if it has none that is known here. */
export function codingOf({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return Object.hasOwn(DECODERS, coding) ? coding : undefined;
}

/** Returns the body without its content coding. Its reader limits what it takes. */
export function decodedBody(response: Pick<HttpResponse, 'headers' | 'body'>): AsyncIterable<Uint8Array> {
  const coding = codingOf(response);
  return coding === undefined ? response.body : decoded(response.body, DECODERS[coding]!());
}

async function* decoded(body: AsyncIterable<Uint8Array>, decoder: NodeJS.ReadWriteStream): AsyncGenerator<Uint8Array> {
  let failure: { readonly error: unknown } | undefined;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  pipeline(Readable.from(source(), { objectMode: false }), decoder, () => undefined);
  try {
    yield* decoder as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw failure ? failure.error : new UndecodableBody('not in the stated coding', { cause: error });
  }
}
