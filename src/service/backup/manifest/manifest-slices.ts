/** Bytes of a manifest that are read in one go: some hundred files. */
const SLICE_BYTES = 128 * 1024;

/**
 * A body in pieces of bounded size, with a turn of the event loop between two of one piece: a manifest that arrives at once
 * neither takes memory for all of its files, nor keeps everybody else waiting.
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
