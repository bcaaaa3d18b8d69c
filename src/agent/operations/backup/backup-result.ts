import type { BackupReport } from '../../../archive/backup/types.ts';
import type { Failure } from '../../../base/errors/failure.ts';

/** What a backup achieved at one of several destinations. */
export type DestinationResult = {
  /** Of the destination. */
  readonly id: string;
  readonly name: string;
} & (
  | { readonly report: BackupReport; readonly failure?: undefined }
  | { readonly report?: undefined; readonly failure: Failure }
);

/** The report of the first destination that has got a restore point. */
export interface BackupResult extends BackupReport {
  /** All destinations of the run, in their order. `undefined` if there was one. */
  readonly destinations?: readonly DestinationResult[];
}
