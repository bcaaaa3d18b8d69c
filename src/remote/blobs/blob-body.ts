import { BLOB_OVERHEAD } from '../../protocol/blob.ts';
import { codingOf, decodedBody, UndecodableBody } from '../http/decoded-body.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { KIB } from '../../model/units.ts';

/** Bounds the memory that a wrong size can claim; far above the 4 MiB of Holdfast's own chunks. */
export const LARGEST_BLOB = 256 * 2 ** 20;
/** Bounds what is read of a blob whose size is unknown. */
const LARGEST_UNKNOWN = 64 * 2 ** 20 + BLOB_OVERHEAD;

/** Returns whether a blob may have this length, by the size that a service states: of the blob, or of its chunk. */
export function fitsSize(length: number, size: number | undefined): boolean {
  return size === undefined || length === size || length === size + BLOB_OVERHEAD;
}

/**
 * Reads the body of a GET into one piece of memory. Reading stops one byte past what it may have, since the body is wrong then.
 *
 * @param size as the service states it
 */
export async function readBlob(response: HttpResponse, size: number | undefined): Promise<Uint8Array> {
  const most = size === undefined ? LARGEST_UNKNOWN : size + BLOB_OVERHEAD;
  if (codingOf(response) === undefined) return await readAtMost(response.body, most, size);
  // A blob cannot be compressed: each coding makes it a little longer.
  const parts = await readAtMost(response.body, most + (most >> 6) + 4096, undefined);
  // Some storages keep a coding of the upload in the head, and not in the body.
  if (size !== undefined && fitsSize(parts.length, size)) return parts;
  try {
    return await readAtMost(decodedBody({ headers: response.headers, body: once(parts) }), most, undefined);
  } catch (error) {
    if (error instanceof UndecodableBody) return parts;
    throw error;
  }
}

/** @param expected bytes; memory is allocated for them at once */
async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  most: number,
  expected: number | undefined,
): Promise<Uint8Array> {
  let memory: Buffer = Buffer.allocUnsafeSlow(
    Math.min(most, expected === undefined ? SMALL : expected + BLOB_OVERHEAD) + 1,
  );
  let length = 0;
  for await (const part of body) {
    const taken = part.subarray(0, most + 1 - length);
    if (length + taken.length > memory.length) memory = grown(memory, length + taken.length, most + 1);
    memory.set(taken, length);
    length += taken.length;
    if (length > most) break;
  }
  return memory.subarray(0, length);
}

const SMALL = 64 * KIB;

function grown(memory: Buffer, least: number, most: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(least, memory.length * 2)));
  larger.set(memory);
  return larger;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
