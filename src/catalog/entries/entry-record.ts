import { catalogDamage } from '../damage.ts';
import type { CatalogEntry, EntryKind } from './entry.ts';
import { STAT_RECORD_BYTES } from '../../os/filesystem/stat-record.ts';

/**
 * An entry in a block, with little-endian numbers:
 *
 * | at | bytes | field |
 * |---|---|---|
 * | 0 | 4 | bytes of the record |
 * | 4 | 4 | the revision that wrote this version |
 * | 8 | 4 | bytes of the name |
 * | 12 | 4 | bytes of the detail; `NONE` if there is none |
 * | 16 | 4 | bytes of the chunk list; `NONE` if there is none |
 * | 20 | 4 | kind |
 * | 24 | 8 | a directory's own id as a double; 0 if it is not a directory |
 * | 32 | 8 | the place as a double |
 * | 40 | 88 | stat-record.ts |
 * | 128 | | name, detail, chunk list |
 * | | | older versions, oldest first: revision (4), bytes of the chunk list or `NONE` (4), stat (88), chunk list |
 */
const REVISION = 4;
const NAME_BYTES = 8;
const DETAIL_BYTES = 12;
const CHUNKS_BYTES = 16;
const KIND = 20;
const CHILD = 24;
const PLACE = 32;
const STAT = 40;
const FIXED_BYTES = STAT + STAT_RECORD_BYTES;
const VERSION_STAT = 8;
const VERSION_FIXED_BYTES = VERSION_STAT + STAT_RECORD_BYTES;
const NONE = 0xffff_ffff;

/** A view of one record, which decodes fields on access. */
export class PackedEntry implements CatalogEntry {
  readonly name: string;
  readonly #block: Buffer;
  readonly #start: number;
  readonly #nameEnd: number;

  /** @param start the record's offset in the block */
  constructor(block: Buffer, start: number) {
    this.#block = block;
    this.#start = start;
    this.#nameEnd = start + FIXED_BYTES + block.readUInt32LE(start + NAME_BYTES);
    this.name = block.toString('utf8', start + FIXED_BYTES, this.#nameEnd);
  }

  get kind(): EntryKind {
    return this.#block[this.#start + KIND] as EntryKind;
  }

  get child(): number | null {
    return this.#block.readDoubleLE(this.#start + CHILD) || null;
  }

  get place(): number {
    return this.#block.readDoubleLE(this.#start + PLACE);
  }

  get stat(): Buffer {
    return this.#block.subarray(this.#start + STAT, this.#start + FIXED_BYTES);
  }

  get detail(): string | null {
    const bytes = this.#block.readUInt32LE(this.#start + DETAIL_BYTES);
    return bytes === NONE ? null : this.#block.toString('utf8', this.#nameEnd, this.#nameEnd + bytes);
  }

  get chunks(): Buffer | null {
    const bytes = this.#block.readUInt32LE(this.#start + CHUNKS_BYTES);
    if (bytes === NONE) return null;
    const start = this.#detailEnd();
    return this.#block.subarray(start, start + bytes);
  }

  /** The revision that wrote this version. */
  get revision(): number {
    return this.#block.readUInt32LE(this.#start + REVISION);
  }

  get record(): Buffer {
    return this.#block.subarray(this.#start, recordEnd(this.#block, this.#start));
  }

  /** Older versions, which are in restore points; oldest first. */
  get kept(): EntryVersion[] {
    const versions: EntryVersion[] = [];
    const end = recordEnd(this.#block, this.#start);
    let start = this.#detailEnd() + lengthOf(this.#block.readUInt32LE(this.#start + CHUNKS_BYTES));
    while (start < end) {
      const bytes = this.#block.readUInt32LE(start + 4);
      const chunksStart = start + VERSION_FIXED_BYTES;
      const chunksEnd = chunksStart + lengthOf(bytes);
      versions.push({
        revision: this.#block.readUInt32LE(start),
        stat: this.#block.subarray(start + VERSION_STAT, chunksStart),
        chunks: bytes === NONE ? null : this.#block.subarray(chunksStart, chunksEnd),
      });
      start = chunksEnd;
    }
    return versions;
  }

  #detailEnd(): number {
    return this.#nameEnd + lengthOf(this.#block.readUInt32LE(this.#start + DETAIL_BYTES));
  }
}

export interface EntryVersion {
  readonly revision: number;
  readonly stat: Buffer;
  /** `null` if the entry was not a file. */
  readonly chunks: Buffer | null;
}

/**
 * Returns the end of the record at `start`.
 *
 * @throws HoldfastError `home_damaged` if there is no valid record
 */
export function recordEnd(block: Buffer, start: number): number {
  const bytes = start + FIXED_BYTES <= block.length ? block.readUInt32LE(start) : 0;
  if (bytes < FIXED_BYTES || start + bytes > block.length) {
    throw catalogDamage('entries');
  }
  return start + bytes;
}

/**
 * Encodes a record.
 *
 * @param revision the one that writes this version
 * @param kept older versions, oldest first
 */
export function packEntry(entry: CatalogEntry, revision: number, kept: readonly EntryVersion[]): Buffer {
  const { name, stat, detail, chunks } = entry;
  const nameBytes = Buffer.byteLength(name);
  const detailBytes = detail === null ? 0 : Buffer.byteLength(detail);
  const chunksBytes = chunks?.length ?? 0;
  let keptBytes = 0;
  for (const version of kept) keptBytes += VERSION_FIXED_BYTES + (version.chunks?.length ?? 0);
  const record = Buffer.allocUnsafe(FIXED_BYTES + nameBytes + detailBytes + chunksBytes + keptBytes);
  record.writeUInt32LE(record.length, 0);
  record.writeUInt32LE(revision, REVISION);
  record.writeUInt32LE(nameBytes, NAME_BYTES);
  record.writeUInt32LE(detail === null ? NONE : detailBytes, DETAIL_BYTES);
  record.writeUInt32LE(chunks === null ? NONE : chunksBytes, CHUNKS_BYTES);
  record.writeUInt32LE(entry.kind, KIND);
  record.writeDoubleLE(entry.child ?? 0, CHILD);
  record.writeDoubleLE(entry.place, PLACE);
  record.set(stat, STAT);
  let offset = FIXED_BYTES;
  offset += record.write(name, offset);
  if (detail !== null) offset += record.write(detail, offset);
  if (chunks !== null) record.set(chunks, offset);
  offset += chunksBytes;
  for (const version of kept) {
    record.writeUInt32LE(version.revision, offset);
    record.writeUInt32LE(version.chunks?.length ?? NONE, offset + 4);
    record.set(version.stat, offset + VERSION_STAT);
    offset += VERSION_FIXED_BYTES;
    if (version.chunks) record.set(version.chunks, offset);
    offset += version.chunks?.length ?? 0;
  }
  return record;
}

function lengthOf(bytes: number): number {
  return bytes === NONE ? 0 : bytes;
}
