/**
 * One entry of a tree as `/.holdfast/tree` records it: what a file entry of the interface cannot carry.
 * Numbers that need 64 bits (times in nanoseconds, device and inode) are decimal strings in the encoded form.
 */
export type TreeRecord = FileRecord | DirectoryRecord | SymlinkRecord;

interface CommonRecord {
  /** Entry path, clear even where the service sees sealed names. */
  readonly path: string;
  /** Permission bits with setuid, setgid and sticky: the low 12 bits of st_mode. */
  readonly mode: number;
  /** Nanoseconds since the epoch; may be negative. */
  readonly mtimeNs: bigint;
  /** Nothing where the file system does not know it. */
  readonly birthtimeNs: bigint | undefined;
  readonly uid: number;
  readonly gid: number;
  /** Names to values; nothing where there are none. */
  readonly xattrs: Readonly<Record<string, Uint8Array>> | undefined;
}

export interface FileRecord extends CommonRecord {
  readonly type: 'file';
  readonly size: number;
  /** Equal for the names of one file; nothing where it has one name only. */
  readonly hardLinkGroup: string | undefined;
  /** Whether the file occupied less of the disk than its size. */
  readonly sparse: boolean;
}

export interface DirectoryRecord extends CommonRecord {
  readonly type: 'directory';
}

export interface SymlinkRecord extends CommonRecord {
  readonly type: 'symlink';
  /** The target's bytes as they are; escaped as entry paths are where they are no valid UTF-8 (whole, not by segment). */
  readonly target: string;
}

/** The end of a tree: what it belongs to, signed with the tree sub-key. */
export interface TreeFooter {
  /** Entry paths of the set's roots. */
  readonly roots: readonly string[];
  /** As many as fit in `FOOTER_WARNING_BYTES` (tree/footer.ts); `warningsTotal` counts them all. */
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
  readonly deviceId: string;
  /** The set's name at the service, so that one set's tree cannot stand in for another's. */
  readonly backupSet: string;
  /** Whether the manifest's paths are sealed (crypto/path-names.ts); the records' never are. */
  readonly privateNames: boolean;
  /** Counts the restore points of this device and set, from 1. */
  readonly sequence: number;
  /** Hex SHA-256 that names the previous tree (`treeHash` of its footer), or nothing for the first. */
  readonly previousTree: string | undefined;
  /** Hex SHA-256 over the `EntriesHash` of each piece of records: ties the tree to its manifest (docs/format.md). */
  readonly entriesHash: string;
}

/** A footer that was read: its MAC fits, and so do the records where those were read too. */
export interface VerifiedFooter extends TreeFooter {
  /** Warnings of the run, with those that found no room in `warnings`. */
  readonly warningsTotal: number;
  /** Records in the tree. */
  readonly records: number;
  /** Hex SHA-256 over the SHA-256s of the raw pieces of records. */
  readonly recordsHash: string;
  /** Names this tree: hex SHA-256 of the footer's line without its line feed. */
  readonly treeHash: string;
}

/** A tree that was read to its end. */
export interface VerifiedTree extends VerifiedFooter {
  /** For each piece of records the path of the last record that ends in it; nothing where none does. */
  readonly pieceEnds: readonly (string | undefined)[];
}
