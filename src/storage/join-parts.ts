import { bufferOf } from '../base/buffer-of.ts';
/** Concatenates the parts of a file. A single part is not copied, unless its memory is shared, which Node's streams refuse. */
export function joinParts(parts: readonly Uint8Array[]): Buffer {
  const [only] = parts;
  if (parts.length !== 1 || only === undefined || only.buffer instanceof SharedArrayBuffer) return Buffer.concat(parts);
  return bufferOf(only);
}
