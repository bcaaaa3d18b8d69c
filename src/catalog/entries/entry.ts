export const FILE = 1;
export const DIRECTORY = 2;
export const SYMLINK = 3;
export type EntryKind = typeof FILE | typeof DIRECTORY | typeof SYMLINK;

/** The fields that a scan compares with the disk. Buffers are views of a block: a message to a worker would copy all of it. */
export interface KnownEntry {
  readonly name: string;
  readonly kind: EntryKind;
  /** filesystem/stat-record.ts */
  readonly stat: Buffer;
  /** A directory's own id; `null` for other entries. */
  readonly child: number | null;
  /** Where it was seen: that of the folder that it is in, or of what is mounted on it (scan/places.ts). */
  readonly place: number;
}

/** All fields of an entry. */
export interface CatalogEntry extends KnownEntry {
  /** Symlink target and extended attributes (scan/entry-detail.ts). */
  readonly detail: string | null;
  /** chunk/chunk-list.ts; `null` for other entries than files. */
  readonly chunks: Buffer | null;
}
