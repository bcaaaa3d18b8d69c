/** An entry of an archive. */
export interface ArchiveEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'hard-link';
  readonly mode: number;
  readonly modified: Date;
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** Bytes of a file. */
  readonly size: number;
  /** Of a symlink; of a hard link, the path of an earlier entry. */
  readonly target: string;
  /** Of a file: exactly `size` bytes. They have to be read before the next entry is taken. */
  readonly content: () => AsyncIterable<Buffer>;
}
