import { isReservedPath } from '../../../protocol/path.ts';
import { HoldfastError } from '../../../base/errors.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { entryPathOf } from '../../filesystem/entry-path.ts';
import { checkRoot, type RootState } from '../../scan/source-check.ts';
import type { BackupRequest } from '../types.ts';

/** Returns the sources' current states. @throws HoldfastError `source_*` */
export function checkRoots(
  { set, allowEmpty = false }: BackupRequest,
  { entries }: Pick<Catalog, 'entries'>,
): readonly RootState[] {
  const known = entries.findSet(set.name);
  const before = known && entries.knownRoots(known.setId);
  return set.roots.map((root) => {
    const path = entryPathOf(root);
    if (isReservedPath(path)) throw new HoldfastError('source_unreadable', { path, problem: 'reserved-path' });
    return checkRoot(path, before?.get(path), allowEmpty);
  });
}
