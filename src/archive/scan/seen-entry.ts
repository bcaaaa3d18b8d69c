import type { BigIntStats } from 'node:fs';
import type { KnownEntry } from '../../catalog/entries/entries.ts';
import type { ExclusionScope } from './exclusion.ts';
import type { Place } from './places.ts';
import type { ReadFolder } from './unseen-entries.ts';

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
  /** Of a root: the place of what is in it. */
  readonly within?: Place;
}

/** A folder that is scanned. */
export interface Folder extends ReadFolder {
  readonly path: string;
  readonly scope: ExclusionScope;
  readonly stat: BigIntStats;
  readonly within: Place;
  /** What is known of it. */
  readonly known: KnownEntry | undefined;
  /** Everything that was known of it elsewhere is in it. */
  readonly isMoved: boolean;
}
