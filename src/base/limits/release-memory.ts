import { isMarkedAsUntransferable } from 'node:worker_threads';

/**
 * Frees the memory of transferred buffers immediately. Nothing may use them afterwards.
 *
 * Each thread's garbage collector would leave tens of MB of buffers unreclaimed for a long time
 * (ArrayBuffer.prototype.transfer, ECMAScript 2024, frees them at once).
 */
export function releaseMemory(parts: readonly unknown[]): void {
  for (const part of parts) {
    // Several parts may share one buffer. Shared memory is freed by its owner.
    if (part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && !part.buffer.detached)
      part.buffer.transfer(0);
  }
}

/** Frees the memory of bytes that have a buffer of their own; leaves a part of a larger buffer alone. */
export function releaseOwnMemory(bytes: Uint8Array): void {
  if (bytes.buffer.byteLength === bytes.length) releaseMemory([bytes]);
}

/** Frees the memory behind what zlib returned, unless that is a piece of Node's pool. */
export function releaseOutput(bytes: Uint8Array): void {
  if (!isMarkedAsUntransferable(bytes.buffer)) releaseMemory([bytes]);
}
