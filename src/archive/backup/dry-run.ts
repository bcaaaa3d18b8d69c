import { unlessInterrupted } from '../../jobs/interruption.ts';
import type { BackupProgress, RunOptions } from '../../jobs/progress.ts';
import { reportOf } from './backup-report.ts';
import { ProgressMeter } from './progress-meter.ts';
import { checkRoots } from './reading/check-roots.ts';
import { scanObserver } from './reading/scan-observer.ts';
import { updateCatalog } from './reading/update-catalog.ts';
import type { BackupDependencies, BackupReport, BackupRequest } from './types.ts';

/**
 * Scans and counts what a backup would read, without changing or sending anything. No job is recorded.
 *
 * @throws HoldfastError `source_*`, `interrupted`
 */
export async function runDryBackup(
  request: BackupRequest,
  { catalog, pool, clock }: Pick<BackupDependencies, 'catalog' | 'pool' | 'clock'>,
  { signal, onProgress }: Pick<RunOptions<BackupProgress>, 'signal' | 'onProgress'> = {},
): Promise<BackupReport> {
  const startedAt = clock.now();
  const meter = new ProgressMeter(clock, onProgress);
  const { entries } = catalog;
  const roots = checkRoots(request, catalog);
  const updating = updateCatalog({
    request,
    roots,
    entries,
    run: undefined,
    rootsDirectory: entries.findSet(request.set.name)?.rootsDirectory,
    pool,
    observer: scanObserver(() => [meter]),
    signal,
  });
  const report = reportOf(await unlessInterrupted(signal, updating), meter, clock.now() - startedAt);
  const warnings = [...roots.absent.flatMap(({ warning }) => warning ?? []), ...roots.redirected];
  return { ...report, warnings: [...warnings, ...report.warnings] };
}
