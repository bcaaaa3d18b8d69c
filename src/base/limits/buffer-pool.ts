/** A fixed number of reusable buffers, allocated on first use. Waiters are served in order. */
export class BufferPool<Buffer> {
  readonly #allocate: () => Buffer;
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];
  #unallocated: number;

  constructor(most: number, allocate: () => Buffer) {
    this.#unallocated = most;
    this.#allocate = allocate;
  }

  /** Waits until a buffer is free. */
  async acquire(): Promise<Buffer> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#unallocated > 0) {
      this.#unallocated -= 1;
      return this.#allocate();
    }
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Must be called when nothing reads or writes the buffer any more. */
  release(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
