import type { CatalogEntries, SetRun } from '../catalog/entries.ts';

/** The catalog's entries as one run sees and writes them. */
export interface CatalogRun {
  readonly entries: CatalogEntries;
  readonly run: SetRun;
}
