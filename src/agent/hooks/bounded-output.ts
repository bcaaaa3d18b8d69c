/** Bytes of the beginning and of the end that are kept. */
const FIRST_BYTES = 8 * 1024;
const LAST_BYTES = 24 * 1024;

/** Keeps the beginning and the end of what a program writes. */
export class BoundedOutput {
  #first = Buffer.alloc(0);
  #last = Buffer.alloc(0);
  #omitted = 0;

  add(bytes: Buffer): void {
    const room = FIRST_BYTES - this.#first.length;
    if (room > 0) this.#first = Buffer.concat([this.#first, bytes.subarray(0, room)]);
    const rest = bytes.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    const joined = Buffer.concat([this.#last, rest]);
    const surplus = Math.max(0, joined.length - LAST_BYTES);
    this.#omitted += surplus;
    // A copy: a view would keep everything before it.
    this.#last = Buffer.from(joined.subarray(surplus));
  }

  get text(): string {
    const gap = this.#omitted === 0 ? '' : `\n[… ${this.#omitted} bytes …]\n`;
    return `${this.#first.toString()}${gap}${this.#last.toString()}`;
  }
}
