import type { BackupInitResponseHead } from '../../protocol/backup.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { IncrementalBase } from './manifest/incremental-base.ts';
import type { TreeSpool } from './manifest/tree-spool.ts';
import type { CatalogUpdate } from './reading/update-catalog.ts';

/** One manifest and its upload. */
export interface Session {
  readonly snapshot: CatalogSnapshot;
  readonly update: CatalogUpdate;
  readonly base: IncrementalBase | undefined;
  readonly spool: TreeSpool;
  readonly head: BackupInitResponseHead;
}
