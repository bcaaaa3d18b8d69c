import { catalogDamage } from '../../../catalog/damage.ts';
import type { ScanCounts } from '../../scan/types.ts';

/**
 * Compares a tree that was made from the catalog with what the scan saw on the disk: the tree has all files that stayed as they were, and no more
 * than the scan counted. Otherwise the catalog is damaged in a way that its own checks do not notice.
 *
 * @param files in the tree
 * @param uncertain files that changed after the scan, which may have been deleted meanwhile
 * @throws HoldfastError `home_damaged` of the catalog, which is then made anew
 */
export function requireScannedFiles(files: number, counts: ScanCounts, uncertain: number): void {
  if (files > counts.files || files < counts.unchangedFiles - uncertain) throw catalogDamage('file-count');
}
