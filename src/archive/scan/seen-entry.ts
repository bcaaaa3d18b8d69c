import type { BigIntStats } from 'node:fs';
import type { KnownEntry } from '../../catalog/entries/entry.ts';
import type { DiskTop } from './disk-copies.ts';
import type { ExclusionScope } from './exclusion.ts';
import type { Place } from './places.ts';

/** A folder that was read. */
export interface ReadFolder {
  readonly id: number | undefined;
  /** The place of what was found in it. */
  readonly place: number;
  /** Entry path of the root, or of the folder on which something is mounted, that has it. Warnings name it. */
  readonly mount: string;
  /** The top of the mounted file system that the entry is in, or that of the source. */
  readonly top: DiskTop;
}

/** An entry on the disk, and its version in the catalog. */
export interface SeenEntry {
  /** The folder that has it; of a root, one that is in the same place. */
  readonly folder: ReadFolder;
  readonly name: string;
  readonly path: string;
  /** The path to read it from: another one for a root that is a link. */
  readonly real: string;
  readonly stat: BigIntStats;
  readonly known: KnownEntry | undefined;
  /** The place of the entries in it, if it is a root. */
  readonly within?: Place;
}

/** A folder that is scanned. */
export interface Folder extends ReadFolder {
  readonly path: string;
  readonly scope: ExclusionScope;
  readonly stat: BigIntStats;
  readonly within: Place;
  /** The entry as the catalog has it. */
  readonly known: KnownEntry | undefined;
  /** Everything that was known of it elsewhere is in it. */
  readonly isMoved: boolean;
}
