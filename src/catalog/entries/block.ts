import { PackedEntry, recordEnd } from './entry-record.ts';
import { KIB } from '../../model/units.ts';

/**
 * A folder's entries are stored in blocks of some dozens: reading a folder reads few rows, and writing one entry of a
 * million writes few bytes.
 */
const MAX_ENTRIES = 64;
/** A block with one entry may be larger: chunk lists are unbounded. */
const MAX_BYTES = 16 * KIB;

/**
 * Reads the entries of a stored block, in the order of their names' bytes.
 *
 * @throws HoldfastError `home_damaged`
 */
export function entriesOf(block: Buffer): PackedEntry[] {
  const entries: PackedEntry[] = [];
  for (let start = 0; start < block.length;) {
    const end = recordEnd(block, start);
    entries.push(new PackedEntry(block, start));
    start = end;
  }
  return entries;
}

/** A block that is being changed. */
export class OpenBlock {
  readonly #entries: PackedEntry[];
  isChanged = false;

  constructor(stored: Buffer | undefined) {
    this.#entries = stored ? entriesOf(stored) : [];
  }

  get entries(): readonly PackedEntry[] {
    return this.#entries;
  }

  /** Adds a record, or replaces the one with its name. */
  put(record: Buffer): void {
    const entry = new PackedEntry(record, 0);
    const index = indexOfName(this.#entries, entry.name);
    this.#entries.splice(index, this.#entries[index]?.name === entry.name ? 1 : 0, entry);
    this.isChanged = true;
  }

  remove(name: string): void {
    const index = indexOfName(this.#entries, name);
    if (this.#entries[index]?.name !== name) return;
    this.#entries.splice(index, 1);
    this.isChanged = true;
  }

  /** Returns the blocks to store: usually one; if there are more, evenly filled, so that each has room for more entries. */
  packed(): readonly PackedBlock[] {
    const wanted = Math.ceil(this.#entries.length / Math.ceil(this.#entries.length / MAX_ENTRIES));
    const blocks: PackedBlock[] = [];
    let records: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      if (records.length > 0) blocks.push(packBlock(records));
      records = [];
      bytes = 0;
    };
    for (const { record } of this.#entries) {
      if (records.length >= wanted || bytes + record.length > MAX_BYTES) end();
      records.push(record);
      bytes += record.length;
    }
    end();
    return blocks;
  }
}

export interface PackedBlock {
  readonly firstName: string;
  readonly bytes: Buffer;
}

function packBlock(records: readonly Buffer[]): PackedBlock {
  return { firstName: new PackedEntry(records[0]!, 0).name, bytes: Buffer.concat(records) };
}

/** Returns the index of the first entry that is not before `name`. */
export function indexOfName(entries: readonly PackedEntry[], name: string): number {
  let low = 0;
  let high = entries.length;
  // A run writes in order, so most entries are appended.
  if (high > 0 && compareNames(entries[high - 1]!.name, name) < 0) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNames(entries[middle]!.name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares names by their UTF-8 bytes. UTF-16 order is the same except for surrogates and U+E000–U+FFFF. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x === y) continue;
    if (x < 0xd800 || y < 0xd800) return x - y;
    const xIsSurrogate = x < 0xe000;
    return xIsSurrogate === y < 0xe000 ? x - y : xIsSurrogate ? 1 : -1;
  }
  return a.length - b.length;
}
