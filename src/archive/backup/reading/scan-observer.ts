import type { ProgressMeter } from '../progress-meter.ts';
import type { CatalogUpdateObserver } from './update-catalog.ts';

/** Shows the progress of a scan on every meter. */
export function scanObserver(meters: () => readonly ProgressMeter[]): CatalogUpdateObserver {
  const update: ProgressMeter['update'] = (change) => {
    for (const meter of meters()) meter.update(change);
  };
  return {
    onScanned: ({ files, bytes }, currentPath) => update({ filesScanned: files, bytesScanned: bytes, currentPath }),
    onRead: (currentPath) => update({ currentPath }),
  };
}
