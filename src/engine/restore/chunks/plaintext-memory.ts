/**
 * Memory for the plaintexts of one task, used again by the next one of the same thread: memory that is new for each chunk
 * lies about as garbage by the ten megabytes, and its fresh pages cost more than opening what goes into them.
 */
export class PlaintextMemory {
  #bytes = Buffer.allocUnsafeSlow(1024 * 1024);
  #used = 0;

  /** Begins a task whose chunks have so many bytes together; what was handed out before is void. */
  begin(bytes: number): void {
    this.#used = 0;
    if (bytes > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(bytes);
  }

  /** Room for a chunk of so many bytes. */
  take(bytes: number): Buffer {
    this.#used += bytes;
    return this.#bytes.subarray(this.#used - bytes, this.#used);
  }
}
