import type { CatalogEntries, SetRun } from '../../catalog/entries/entries.ts';
import type { EntryReader } from '../../catalog/entries/entry-reader.ts';

/** The entries of a set, as a manifest lists them. */
export interface CatalogRun {
  readonly entries: EntryReader;
  readonly run: SetRun;
}

/** The entries of a set, as a scan updates them. */
export interface WritableRun extends CatalogRun {
  readonly entries: CatalogEntries;
}
