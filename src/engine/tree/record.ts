/**
 * One entry of a tree as `/.holdfast/tree` records it, with what a file entry of the interface cannot hold. Numbers that
 * need 64 bits (times in nanoseconds) are decimal strings in the encoded form.
 */
export type TreeRecord = FileRecord | DirectoryRecord | SymlinkRecord;

interface CommonRecord {
  /** Entry path, clear even if the service has sealed names. */
  readonly path: string;
  /** Permission bits with setuid, setgid and sticky: the low 12 bits of st_mode. */
  readonly mode: number;
  /** Nanoseconds since the epoch; may be negative. */
  readonly mtimeNs: bigint;
  /** `undefined` if the file system does not record it. */
  readonly birthtimeNs: bigint | undefined;
  readonly uid: number;
  readonly gid: number;
  /** Names to values; `undefined` if there are none. */
  readonly xattrs: Readonly<Record<string, Uint8Array>> | undefined;
}

export interface FileRecord extends CommonRecord {
  readonly type: 'file';
  readonly size: number;
  /** Equal for the names of one file; `undefined` if it has only one. */
  readonly hardLinkGroup: string | undefined;
  /** True if the file occupied less disk space than its size. */
  readonly sparse: boolean;
}

export interface DirectoryRecord extends CommonRecord {
  readonly type: 'directory';
}

export interface SymlinkRecord extends CommonRecord {
  readonly type: 'symlink';
  /** The target's bytes; if they are not valid UTF-8, escaped like entry paths (as a whole, not by segment). */
  readonly target: string;
}

/** The end of a tree: identifies what it belongs to, authenticated with the tree sub-key. */
export interface TreeFooter {
  /** Entry paths of the set's roots. */
  readonly roots: readonly string[];
  /** Those that fit in `FOOTER_WARNING_BYTES` (tree/footer.ts); `warningsTotal` counts all. */
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
  readonly deviceId: string;
  /** The set's name at the service, so that one set's tree cannot replace another's. */
  readonly backupSet: string;
  /** True if the manifest's paths are sealed (crypto/path-names.ts); the records' never are. */
  readonly privateNames: boolean;
  /** Counts the restore points of this device and set, from 1. */
  readonly sequence: number;
  /** `treeHash` of the previous tree's footer; `undefined` for the first tree. */
  readonly previousTree: string | undefined;
  /** Hex SHA-256 over the `EntriesHash` of each piece of records: ties the tree to its manifest (docs/format.md). */
  readonly entriesHash: string;
}

/** A footer with a valid MAC; if the records were read too, they match it. */
export interface VerifiedFooter extends TreeFooter {
  /** Number of warnings of the run, including those that did not fit in `warnings`. */
  readonly warningsTotal: number;
  /** Number of records in the tree. */
  readonly records: number;
  /** Hex SHA-256 over the SHA-256s of the raw pieces of records. */
  readonly recordsHash: string;
  /** Identifies this tree: hex SHA-256 of the footer's line without its line feed. */
  readonly treeHash: string;
}

/** A tree that was read completely. */
export interface VerifiedTree extends VerifiedFooter {
  /** One path per piece of records: that of the last record that ends in it; `undefined` if none does. */
  readonly pieceEnds: readonly (string | undefined)[];
}
