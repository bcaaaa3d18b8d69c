import { KIB } from '../../model/units.ts';

/** Bytes of the beginning and of the end that are kept. */
const FIRST_BYTES = 8 * KIB;
const LAST_BYTES = 24 * KIB;

/** Keeps the beginning and the end of what a program writes. */
export class BoundedOutput {
  #first = Buffer.alloc(0);
  /** A ring: the byte after the newest one is the oldest. */
  readonly #last = Buffer.alloc(LAST_BYTES);
  /** Bytes that were written after the first ones. */
  #later = 0;

  add(bytes: Buffer): void {
    const room = FIRST_BYTES - this.#first.length;
    if (room > 0) this.#first = Buffer.concat([this.#first, bytes.subarray(0, room)]);
    const rest = bytes.subarray(Math.max(0, room));
    const kept = rest.subarray(Math.max(0, rest.length - LAST_BYTES));
    const at = (this.#later + rest.length - kept.length) % LAST_BYTES;
    const untilEnd = kept.copy(this.#last, at);
    kept.copy(this.#last, 0, untilEnd);
    this.#later += rest.length;
  }

  get text(): string {
    const omitted = Math.max(0, this.#later - LAST_BYTES);
    const gap = omitted === 0 ? '' : `\n[… ${omitted} bytes …]\n`;
    const oldest = this.#later % LAST_BYTES;
    const last =
      omitted === 0
        ? this.#last.subarray(0, this.#later)
        : Buffer.concat([this.#last.subarray(oldest), this.#last.subarray(0, oldest)]);
    return `${this.#first.toString()}${gap}${last.toString()}`;
  }
}
