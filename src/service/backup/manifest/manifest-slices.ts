import { KIB } from '../../../model/units.ts';

/** Bytes of a manifest that are parsed at once: some hundred files. */
const SLICE_BYTES = 128 * KIB;

/**
 * Splits a body into slices of bounded size, with a turn of the event loop in between: a manifest that arrives in one piece neither
 * takes memory for all of its files, nor blocks other requests.
 */
export async function* inSlices(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    yield bytes.subarray(0, SLICE_BYTES);
    for (let offset = SLICE_BYTES; offset < bytes.length; offset += SLICE_BYTES) {
      await new Promise(setImmediate);
      yield bytes.subarray(offset, offset + SLICE_BYTES);
    }
  }
}
