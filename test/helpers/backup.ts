import { runDryBackup } from '../../src/archive/backup/dry-run.ts';
import { reportOfOutcome, runBackup } from '../../src/archive/backup/run-backup.ts';
import type { BackupDependencies, BackupReport, BackupRequest, TargetAccess } from '../../src/archive/backup/types.ts';
import type { DestinationCatalog } from '../../src/catalog/catalog.ts';
import type { BackupProgress, RunOptions } from '../../src/jobs/progress.ts';

/** What a backup to one destination needs. */
export type OneTarget = Omit<BackupDependencies, 'catalog'> & TargetAccess & { readonly catalog: DestinationCatalog };
export type OneTargetRequest = BackupRequest & { readonly deviceId: string; readonly dryRun?: boolean };

/** Backs up to one destination. @throws what the run throws there */
export async function backUpTo(
  { deviceId, dryRun = false, ...request }: OneTargetRequest,
  { service, uploader, downloader, previousTree, catalog, ...others }: OneTarget,
  options: RunOptions<BackupProgress> = {},
): Promise<BackupReport> {
  const dependencies = { ...others, catalog: catalog.whole };
  if (dryRun) return await runDryBackup(request, dependencies, options);
  const open = (): Promise<TargetAccess> => Promise.resolve({ service, uploader, downloader, previousTree });
  const target = { ...options, destination: catalog.destination, deviceId, open };
  const [outcome] = await runBackup(request, [target], dependencies, options);
  return reportOfOutcome(outcome!);
}
