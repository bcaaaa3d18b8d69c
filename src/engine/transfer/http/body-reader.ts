import { releaseMemory } from '../../../base/release-memory.ts';
import { HttpFailure } from './http-failure.ts';

/** Takes a body apart into pieces of known lengths. The body's own memory is given back as it is used up. */
export class BodyReader implements AsyncDisposable {
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #origin: string;
  #part: Uint8Array = new Uint8Array();
  /** Of the part. */
  #rest: Uint8Array = new Uint8Array();

  /** @param origin where it comes from, for the failure of one that ends early */
  constructor(body: AsyncIterable<Uint8Array>, origin: string) {
    this.#parts = body[Symbol.asyncIterator]();
    this.#origin = origin;
  }

  /** The next bytes, in memory of their own. @throws HttpFailure `reset` where the body ends before */
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
    // The garbage collector would mark the whole heap for each 64 MB of them. A part that shares its memory stays.
    if (this.#part.buffer.byteLength === this.#part.length) releaseMemory([this.#part]);
    const next = await this.#parts.next();
    if (next.done) throw new HttpFailure('reset', this.#origin, { connected: true });
    this.#part = next.value;
    this.#rest = this.#part;
  }

  /** Reads on to the end, where nothing else should be: then the connection can be kept. */
  async end(): Promise<void> {
    while (!(await this.#parts.next()).done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.return?.();
  }
}
