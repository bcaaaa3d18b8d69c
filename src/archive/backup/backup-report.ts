import type { ProgressMeter } from './progress-meter.ts';
import type { CatalogUpdate } from './reading/update-catalog.ts';
import type { BackupReport } from './types.ts';

/** Returns the report of a run that sent nothing or has not completed. */
export function reportOf(update: CatalogUpdate, { state, blobBytes }: ProgressMeter, durationMs: number): BackupReport {
  return {
    backupId: undefined,
    restorePoint: undefined,
    filesProcessed: update.counts.files,
    chunksNew: state.chunksUploaded,
    chunksDeduped: 0,
    bytesScanned: update.counts.bytes,
    bytesNew: state.bytesUploaded,
    bytesUploaded: blobBytes,
    compression: undefined,
    storageUsedBytes: undefined,
    bytesChanged: update.bytesChanged,
    durationSeconds: durationMs / 1000,
    warnings: update.warnings,
    notes: update.notes,
    leftOut: update.leftOut,
  };
}
