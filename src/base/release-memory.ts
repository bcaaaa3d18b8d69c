/**
 * Gives the memory behind bytes that came by message, and were used, back at once. None of it may be used any more.
 *
 * Each thread's garbage collector lets tens of MB of buffers lie before it looks (ArrayBuffer.prototype.transfer,
 * ECMAScript 2024, does not wait for it).
 */
export function releaseMemory(parts: readonly unknown[]): void {
  for (const part of parts) {
    // Several parts may share one buffer; shared memory is not ours to give back.
    if (part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && !part.buffer.detached)
      part.buffer.transfer(0);
  }
}
