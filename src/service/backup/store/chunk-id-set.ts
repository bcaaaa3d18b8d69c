/** Bits of an id within its page of 4 KiB. */
const PAGE_SHIFT = 15;
const PAGE_MASK = (1 << PAGE_SHIFT) - 1;

/**
 * A set of chunk ids as bits in pages. Ids are assigned consecutively, so a million chunks take about 128 KiB instead of a Set's
 * 40 MB.
 */
export class ChunkIdSet {
  readonly #pages = new Map<number, Uint32Array>();
  #size = 0;
  #lastNumber = -1;
  #lastPage: Uint32Array | undefined;

  get size(): number {
    return this.#size;
  }

  /** Returns whether the id is new. */
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

  /** Returns whether the id was in the set. */
  delete(id: number): boolean {
    if (!this.has(id)) return false;
    const bit = id & PAGE_MASK;
    this.#page(id)![bit >>> 5]! &= ~(1 << (bit & 31));
    this.#size -= 1;
    return true;
  }

  /** Ids have up to 48 bits, so bit operators apply to the low ones only. */
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
