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
  /** chunk/chunk-list.ts; the sizes add up to `size`. */
  readonly chunks: Buffer;
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

/** A disk or another file system on which files of a tree were. */
export interface TreeMount {
  /** Entry path of the folder at which it was mounted. */
  readonly path: string;
  /** Which one it was (scan/places.ts). */
  readonly place: number;
}

/** What the end of a tree says about it, authenticated with the tree sub-key. */
export interface TreeFooter {
  /** Time of the run, milliseconds since the epoch; greater than that of the previous tree. */
  readonly created: number;
  /** Entry paths of the set's roots. */
  readonly roots: readonly string[];
  /** None by default. */
  readonly mounts?: readonly TreeMount[];
  /** Those that fit in `FOOTER_WARNING_BYTES` (tree/footer.ts); `warningsTotal` counts all. */
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
  /** If not all of them are in `warnings`. */
  readonly warningsTotal?: number;
  readonly deviceId: string;
  /** The device as people know it: a repair of a destination that has lost its lists finds it here. */
  readonly deviceName?: string | undefined;
  /** The set's name at the service, so that one set's tree cannot replace another's. */
  readonly backupSet: string;
  /** True if the manifest's paths are sealed (crypto/path-names.ts); the records' never are. */
  readonly privateNames: boolean;
  /** Counts the restore points of this device and set, from 1; 0 for a tree that was copied to before others, outside of their chain. */
  readonly sequence: number;
  /** `treeHash` of the previous tree's footer; `undefined` for the first tree, and outside of the chain. */
  readonly previousTree: string | undefined;
}

/** A piece of records as the footer lists it. */
export interface ListedPiece {
  /** Its chunks (chunk/chunk-list.ts): one, or several if it is a single line longer than MAX_PIECE_BYTES. */
  readonly chunks: Buffer;
  readonly records: number;
  /** Entry path of its first record. */
  readonly firstPath: string;
}

/** A footer with a valid MAC. */
export interface VerifiedFooter extends TreeFooter {
  /** The epoch of the key that proves it. */
  readonly epoch: number;
  /** Number of warnings of the run, including those that did not fit in `warnings`. */
  readonly warningsTotal: number;
  /** In path order. */
  readonly pieces: readonly ListedPiece[];
  /** Identifies this tree: hex SHA-256 of the footer's line without its line feed. */
  readonly treeHash: string;
}
