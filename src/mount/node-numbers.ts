import { hash } from 'node:crypto';
import type { NodeId } from '../os/fuse/file-system.ts';
import { MOST_POSITION, type Position } from './mounted-point.ts';

/** What a number of a node stands for. */
export type Numbered =
  /** A folder above the restore points, a restore point or a link. */
  | { readonly kind: 'above'; readonly id: number }
  | { readonly kind: 'record'; readonly point: number; readonly position: Position }
  /** A root of a set of which the tree has no record of its own. */
  | { readonly kind: 'base'; readonly point: number; readonly base: number };

/**
 * The number of a node says where its record is in the tree, so that nothing has to be remembered of the files that the kernel knows,
 * which may be millions: 20 bits of the restore point, from 1, and 42 bits of the position. A root without a record has its index in
 * the topmost positions. Numbers without a restore point count what is above.
 */
export function numberOf(node: Numbered): NodeId {
  switch (node.kind) {
    case 'above':
      return BigInt(node.id);
    case 'record':
      return (BigInt(node.point) << POSITION_BITS) | BigInt(node.position);
    case 'base':
      return (BigInt(node.point) << POSITION_BITS) | BigInt(MOST_POSITION - 1 - node.base);
  }
}

export function nodeOf(number: NodeId): Numbered {
  const point = Number(number >> POSITION_BITS);
  const position = Number(number & (BigInt(MOST_POSITION) - 1n));
  if (point === 0) return { kind: 'above', id: position };
  if (position >= MOST_POSITION - MOST_BASES) return { kind: 'base', point, base: MOST_POSITION - 1 - position };
  return { kind: 'record', point, position };
}

const POSITION_BITS = 42n;
/** Roots of a set that are shown. */
export const MOST_BASES = 2 ** 16;
/** Restore points that are shown: the numbers of the next ones would not fit. */
export const MOST_POINTS = 2 ** 20;

/** The names of one file have one inode, above those of nodes. */
export function inodeOfGroup(point: number, group: string): bigint {
  return hash('sha256', `${point} ${group}`, 'buffer').readBigUInt64LE(0) | (1n << 63n);
}
