import { hash } from 'node:crypto';
import type { TreeRecord } from '../format/tree/record.ts';

export const KINDS = ['file', 'directory', 'symlink'] as const;
export type EntryKind = (typeof KINDS)[number];

/** What makes an entry another version. Its permissions do not. */
export interface VersionContent {
  /** Index in `KINDS`. */
  readonly kind: number;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly content: Buffer;
}

export interface VersionRow extends VersionContent {
  readonly entry: number;
  /** Exclusive limits: times of restore points that do not have it, or `BEGINNING` and `END`. */
  readonly low: number;
  readonly high: number;
}

const CONTENT_BYTES = 12;
const NO_CONTENT = Buffer.alloc(0);

/** Largest number of milliseconds that a Date holds, on each side of the epoch. */
const DATE_LIMIT_MS = 8.64e15;

export function contentOf(record: TreeRecord): VersionContent {
  const milliseconds = Math.floor(Number(record.mtimeNs) / 1e6);
  return {
    kind: KINDS.indexOf(record.type),
    size: record.type === 'file' ? record.size : 0,
    modified: Math.max(-DATE_LIMIT_MS, Math.min(DATE_LIMIT_MS, milliseconds)),
    content: identityOf(record),
  };
}

export function isSameContent(one: VersionContent, other: VersionContent): boolean {
  return (
    one.kind === other.kind &&
    one.size === other.size &&
    one.modified === other.modified &&
    one.content.equals(other.content)
  );
}

function identityOf(record: TreeRecord): Buffer {
  switch (record.type) {
    case 'file':
      return hash('sha256', record.chunks, 'buffer').subarray(0, CONTENT_BYTES);
    case 'symlink':
      return hash('sha256', record.target, 'buffer').subarray(0, CONTENT_BYTES);
    case 'directory':
      return NO_CONTENT;
  }
}
