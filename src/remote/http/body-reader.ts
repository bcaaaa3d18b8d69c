import { releaseMemory } from '../../base/limits/release-memory.ts';
import { HttpFailure } from './http-failure.ts';

/** Splits a body into pieces of known lengths. Frees the memory of its parts as they are used up. */
export class BodyReader implements AsyncDisposable {
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #origin: string;
  #part: Uint8Array = new Uint8Array();
  /** The unread end of the part. */
  #rest: Uint8Array = new Uint8Array();

  /** @param origin for the error when the body ends early */
  constructor(body: AsyncIterable<Uint8Array>, origin: string) {
    this.#parts = body[Symbol.asyncIterator]();
    this.#origin = origin;
  }

  /** Copies the next bytes into memory of their own. @throws HttpFailure `reset` if the body ends before */
  async take(length: number): Promise<Buffer> {
    const taken = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length;) {
      if (this.#rest.length === 0) await this.#next();
      const part = this.#rest.subarray(0, length - filled);
      taken.set(part, filled);
      filled += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return taken;
  }

  async #next(): Promise<void> {
    // Left to the garbage collector, each 64 MB of parts would cost a full mark. Parts of shared memory cannot be freed.
    if (this.#part.buffer.byteLength === this.#part.length) releaseMemory([this.#part]);
    const next = await this.#parts.next();
    if (next.done) throw new HttpFailure('reset', this.#origin, { connected: true });
    this.#part = next.value;
    this.#rest = this.#part;
  }

  /** Reads to the end, so that the connection can be reused. */
  async end(): Promise<void> {
    while (!(await this.#parts.next()).done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.return?.();
  }
}
