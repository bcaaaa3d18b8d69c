/** A fixed number of reusable buffers, made on first use. Waiters get a free one first come, first served. */
export class BufferPool<Buffer> {
  readonly #make: () => Buffer;
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];
  #unmade: number;

  constructor(most: number, make: () => Buffer) {
    this.#unmade = most;
    this.#make = make;
  }

  /** Resolves with a buffer as soon as one is free. */
  async take(): Promise<Buffer> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#unmade > 0) {
      this.#unmade -= 1;
      return this.#make();
    }
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Returns a buffer that nothing reads or writes any more. */
  give(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
