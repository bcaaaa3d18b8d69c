/**
 * Gives the memory behind bytes that were used back at once, where it is theirs alone. Garbage collection would let tens of MB
 * of them lie, and marks the whole heap for it (ArrayBuffer.prototype.transfer, ECMAScript 2024, does not wait for it).
 */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === bytes.length) buffer.transfer(0);
}
