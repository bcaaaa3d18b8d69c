import { BlobLengthError } from './object-store.ts';

/**
 * Reads a body into one array.
 *
 * @throws BlobLengthError as soon as the body is longer than `length`, or if it ends shorter
 */
export async function collect(body: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let received = 0;
  for await (const piece of body) {
    if (received + piece.length > length) throw new BlobLengthError(`more than ${length} bytes`);
    bytes.set(piece, received);
    received += piece.length;
  }
  if (received !== length) throw new BlobLengthError(`${received} bytes, not ${length}`);
  return bytes;
}
