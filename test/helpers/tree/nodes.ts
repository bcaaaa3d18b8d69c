/**
 * Trees as object literals. Names and link targets are text; invalid UTF-8 is written as Python writes
 * them (PEP 383): the byte 0xff is `\udcff`.
 */
export type Tree = Readonly<Record<string, TreeNode>>;

export type TreeNode = FileNode | DirectoryNode | SymlinkNode | HardLinkNode | FifoNode | SocketNode;

/** Omitted values are those of a file created by an ordinary program. */
export interface Attributes {
  /** The low 12 bits of st_mode. */
  readonly mode?: number;
  /** Nanoseconds since the epoch; may be negative. */
  readonly mtimeNs?: bigint;
  /** Names with their namespace (`user.…`) to values. */
  readonly xattrs?: Readonly<Record<string, string | Uint8Array>>;
}

/** Returns pseudo-random bytes that depend only on the seed. */
export interface SeededBytes {
  readonly seed: number;
  readonly size: number;
}

/** A sparse file: holes except for the given pieces. */
export interface SparseBytes {
  readonly sparseSize: number;
  /** Maps offsets in bytes to the text there. */
  readonly data: Readonly<Record<number, string>>;
}

export type Content = string | Uint8Array | SeededBytes | SparseBytes;

export interface FileNode extends Attributes {
  readonly kind: 'file';
  readonly content: Content;
}

export interface DirectoryNode extends Attributes {
  readonly kind: 'directory';
  readonly children: Tree;
}

export interface SymlinkNode {
  readonly kind: 'symlink';
  readonly target: string;
  readonly mtimeNs?: bigint;
}

/** A hard link to a file; `of` is its path from the tree's root. */
export interface HardLinkNode {
  readonly kind: 'hard-link';
  readonly of: string;
}

export interface FifoNode {
  readonly kind: 'fifo';
}

export interface SocketNode {
  readonly kind: 'socket';
}

export function file(content: Content = '', attributes: Attributes = {}): FileNode {
  return { kind: 'file', content, ...attributes };
}

export function directory(children: Tree = {}, attributes: Attributes = {}): DirectoryNode {
  return { kind: 'directory', children, ...attributes };
}

export function symlink(target: string, mtimeNs?: bigint): SymlinkNode {
  return { kind: 'symlink', target, ...(mtimeNs === undefined ? {} : { mtimeNs }) };
}

export function hardLink(of: string): HardLinkNode {
  return { kind: 'hard-link', of };
}

export const fifo: FifoNode = { kind: 'fifo' };
export const socket: SocketNode = { kind: 'socket' };
