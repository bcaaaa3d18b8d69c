/**
 * Frees the memory of used bytes immediately if they own all of their buffer (ArrayBuffer.prototype.transfer, ECMAScript 2024).
 * Garbage collection would keep tens of megabytes alive, and marks the whole heap to free them.
 */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === bytes.length) buffer.transfer(0);
}
