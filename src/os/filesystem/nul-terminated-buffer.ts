/**
 * Converts paths and names to NUL-terminated bytes for C functions. The buffer is reused, since the functions are called once
 * per file: a result is valid until the next call.
 */
export class NulTerminatedBuffer {
  #bytes = Buffer.alloc(4352);

  /** Throws ERR_INVALID_ARG_VALUE, as `node:fs` does, for text that contains NUL: it would denote another file. */
  of(text: string | Uint8Array): Uint8Array {
    const mostBytes = typeof text === 'string' ? text.length * 3 : text.length;
    if (mostBytes >= this.#bytes.length) this.#bytes = Buffer.alloc(mostBytes + 1);
    const length = typeof text === 'string' ? this.#bytes.write(text) : copy(text, this.#bytes);
    const end = this.#bytes.indexOf(0);
    if (end >= 0 && end < length) throw invalidArgument();
    this.#bytes[length] = 0;
    return this.#bytes;
  }
}

/** Throws ERR_INVALID_ARG_VALUE, as `node:fs` does, for text that contains NUL: it would denote another file. */
export function refuseNul(text: string): void {
  if (text.includes('\0')) throw invalidArgument();
}

function copy(source: Uint8Array, target: Uint8Array): number {
  target.set(source);
  return source.length;
}

function invalidArgument(): Error {
  return Object.assign(new TypeError('a path must not hold a NUL byte'), { code: 'ERR_INVALID_ARG_VALUE' });
}
