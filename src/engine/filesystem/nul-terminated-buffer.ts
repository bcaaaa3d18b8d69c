/**
 * Paths and names as C functions take them: bytes that end with NUL. One buffer is used again and again, since the
 * functions are called once for each file; what is in it is good until the next call with the same buffer.
 */
export class NulTerminatedBuffer {
  #bytes = Buffer.alloc(4352);

  /** Throws ERR_INVALID_ARG_VALUE, as `node:fs` does, for text with a NUL in it: it would name another file. */
  of(text: string | Uint8Array): Uint8Array {
    const room = typeof text === 'string' ? text.length * 3 : text.length;
    if (room >= this.#bytes.length) this.#bytes = Buffer.alloc(room + 1);
    const length = typeof text === 'string' ? this.#bytes.write(text) : copy(text, this.#bytes);
    const end = this.#bytes.indexOf(0);
    if (end >= 0 && end < length) throw invalidArgument();
    this.#bytes[length] = 0;
    return this.#bytes;
  }
}

function copy(source: Uint8Array, target: Uint8Array): number {
  target.set(source);
  return source.length;
}

function invalidArgument(): Error {
  return Object.assign(new TypeError('a path must not hold a NUL byte'), { code: 'ERR_INVALID_ARG_VALUE' });
}
