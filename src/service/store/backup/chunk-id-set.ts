/** Numbers that one page covers: 4 KiB of bits. */
const PAGE_SHIFT = 15;
const PAGE_MASK = (1 << PAGE_SHIFT) - 1;

/**
 * A set of chunk numbers as bits in pages. Numbers are handed out in a row, so that a million chunks take about 128 KiB
 * where a Set would take 40 MB.
 */
export class ChunkIdSet {
  readonly #pages = new Map<number, Uint32Array>();
  #size = 0;
  #lastNumber = -1;
  #lastPage: Uint32Array | undefined;

  get size(): number {
    return this.#size;
  }

  /** Whether it was not there before. */
  add(id: number): boolean {
    const page = this.#page(id) ?? this.#newPage(id);
    const bit = id & PAGE_MASK;
    const mask = 1 << (bit & 31);
    if ((page[bit >>> 5]! & mask) !== 0) return false;
    page[bit >>> 5]! |= mask;
    this.#size += 1;
    return true;
  }

  has(id: number): boolean {
    const bit = id & PAGE_MASK;
    return ((this.#page(id)?.[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** Whether it was there before. */
  delete(id: number): boolean {
    if (!this.has(id)) return false;
    const bit = id & PAGE_MASK;
    this.#page(id)![bit >>> 5]! &= ~(1 << (bit & 31));
    this.#size -= 1;
    return true;
  }

  /** Numbers have up to 48 bits: no bit operator before the low ones are cut out. */
  #page(id: number): Uint32Array | undefined {
    const number = Math.floor(id / (PAGE_MASK + 1));
    if (number !== this.#lastNumber) {
      this.#lastNumber = number;
      this.#lastPage = this.#pages.get(number);
    }
    return this.#lastPage;
  }

  #newPage(id: number): Uint32Array {
    const page = new Uint32Array((PAGE_MASK + 1) / 32);
    this.#lastNumber = Math.floor(id / (PAGE_MASK + 1));
    this.#pages.set(this.#lastNumber, page);
    this.#lastPage = page;
    return page;
  }
}
