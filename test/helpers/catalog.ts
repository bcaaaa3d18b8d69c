import type { Catalog } from '../../src/catalog/catalog.ts';
import type { CommittedTree } from '../../src/catalog/committed-tree.ts';
import type { KnownRoot, SetRun } from '../../src/catalog/entries/entries.ts';
import type { KnownPiece } from '../../src/format/tree/piece.ts';

/** The only destination of tests that need one. */
export const DESTINATION = 'sole';

export const TREE: CommittedTree = {
  device: 'device',
  backupId: 'run',
  treeHash: '',
  privateNames: false,
  keyId: '',
  fullAt: 0,
  runsSince: 0,
};

interface Committed {
  readonly roots?: readonly KnownRoot[];
  readonly pieces?: readonly KnownPiece[];
  readonly destination?: string;
}

/** Makes the catalog's content the newest restore point of a destination. Returns its revision. */
export function commitAll(
  { entries }: Pick<Catalog, 'entries'>,
  { setId }: SetRun,
  { roots = [], pieces = [], destination = DESTINATION }: Committed = {},
): number {
  const revision = entries.endRevision(setId);
  entries.commit(destination, { setId, revision, tree: TREE, pieces, roots });
  entries.release(setId, revision);
  return revision;
}
