export const FILE = 1;
export const DIRECTORY = 2;
export const SYMLINK = 3;
export type EntryKind = typeof FILE | typeof DIRECTORY | typeof SYMLINK;

/** What a scan compares with the disk. The bytes are views of a larger memory: a message would copy all of that. */
export interface KnownEntry {
  readonly name: string;
  readonly kind: EntryKind;
  /** stat-record.ts */
  readonly stat: Buffer;
  /** A directory's own id. */
  readonly child: number | null;
}

/** All that is known of an entry. */
export interface CatalogEntry extends KnownEntry {
  /** Symlink target and extended attributes (scan/entry-detail.ts). */
  readonly detail: string | null;
  /** chunk-list.ts; nothing of what is no file. */
  readonly chunks: Buffer | null;
}
