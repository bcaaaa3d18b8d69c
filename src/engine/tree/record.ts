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
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
  readonly deviceId: string;
  /** Counts the restore points of this device and set, from 1. */
  readonly sequence: number;
  /** Hex SHA-256 that names the previous tree (`treeHash` of its footer), or nothing for the first. */
  readonly previousTree: string | undefined;
  /** Hex SHA-256 over all file entries of the manifest but the reserved ones (see docs/format.md). */
  readonly entriesHash: string;
}
