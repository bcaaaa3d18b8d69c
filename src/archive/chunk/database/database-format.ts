import { closeSync, lstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { READ_FLAGS } from '../../../os/filesystem/read-flags.ts';

const MILLISECOND = 1_000_000n;

/** A file, and the part of it that says whether others have changed. */
export interface SeenFile {
  readonly stat: BigIntStats;
  readonly head: Buffer;
  /** Bytes from its beginning that have content, if what follows is of no use. */
  readonly used?: number;
  /** Whether a program may be in the middle of writing to it, by its locks. */
  readonly isBeingWritten?: boolean;
}

/** The files of a database at a look, by what follows its path, in the order in which they have to be copied. */
export type Look = ReadonlyMap<string, SeenFile>;

/** What is known of one kind of databases. */
export interface DatabaseFormat {
  /** Looks at the files of a database; at none if there is no such database. @param path entry path of the database; of a folder, with a slash */
  readonly see: (path: string) => Look;
  /** Returns whether files that were copied between two looks are of one moment. @param now the kernel's clock before the first */
  readonly isOneMoment: (before: Look, after: Look, now: bigint) => boolean;
  /** Returns whether the copies can be opened. @param copy beginning of their paths */
  readonly isUsable?: (before: Look, copy: string) => boolean;
  /** Returns whether a file that has kept its times has kept its content for certain: it needs no other copy. */
  readonly isSettled: (suffix: string) => boolean;
  /** Milliseconds after which a change surely has changed the time of the file; 0 if it does so at once. */
  readonly settlesAfter: number;
}

/** Looks at a file. @param length bytes of its beginning to read */
export function seeFile(path: string, length: number): SeenFile | undefined {
  const stat = lstatSync(fileSystemPath(path), { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const file = openSync(fileSystemPath(path), READ_FLAGS);
  try {
    const head = Buffer.alloc(length);
    return { stat, head: head.subarray(0, readSync(file, head, 0, length, 0)) };
  } finally {
    closeSync(file);
  }
}

export function isSameFile(before: SeenFile | undefined, after: SeenFile | undefined): boolean {
  return before !== undefined && before.stat.ino === after?.stat.ino && before.head.equals(after.head);
}

/** Returns whether nobody can have written to a file between two looks. @param now before the first */
export function isUntouched(before: BigIntStats, after: BigIntStats, now: bigint): boolean {
  const isSame = before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs;
  // A write within the same tick of the clock leaves the times as they are.
  const slack = before.mtimeNs % MILLISECOND === 0n ? 2000n * MILLISECOND : 0n;
  return isSame && before.mtimeNs + slack < now && before.ctimeNs + slack < now;
}
