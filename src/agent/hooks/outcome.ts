import { isHoldfastError } from '../../base/errors/errors.ts';
import { failureOf, type Failure } from '../../base/errors/failure.ts';
import type { BackupReport } from '../../archive/backup/types.ts';

/** What a run returned, as far as commands and pings say it. */
export interface HookedResult extends BackupReport {
  readonly destinations?: readonly {
    readonly name: string;
    readonly report?: BackupReport | undefined;
    readonly failure?: Failure | undefined;
  }[];
}

/** `stopped` by a person, or by the end of the program. */
export type HookOutcome = 'success' | 'warnings' | 'failed' | 'stopped';

/** The end of a run. */
export type HookedEnd =
  | { readonly result: HookedResult; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown };

/** A destination that failed makes the run fail, also if others have got a restore point. */
export function outcomeOf({ result, error }: HookedEnd): HookOutcome {
  if (!result) return isHoldfastError(error, 'interrupted') ? 'stopped' : 'failed';
  if (result.destinations?.some(({ failure }) => failure)) return 'failed';
  return reportsOf(result).some(({ warnings }) => warnings.length > 0) ? 'warnings' : 'success';
}

/** What the command after a run finds in its environment. Names of files are not among it. */
export function environmentOf(set: string, end: HookedEnd): Record<string, string> {
  const { result, error } = end;
  const facts: Record<string, string | number | undefined> = {
    HOLDFAST_SET: set,
    HOLDFAST_OUTCOME: outcomeOf(end),
    HOLDFAST_ERROR: result ? failedAt(result)[0]?.failure?.code : (failureOf(error)?.code ?? 'internal'),
    HOLDFAST_RESTORE_POINT: result?.restorePoint,
    HOLDFAST_FILES: result?.filesProcessed,
    HOLDFAST_BYTES_SCANNED: result?.bytesScanned,
    HOLDFAST_BYTES_UPLOADED: result && sum(result, ({ bytesUploaded }) => bytesUploaded),
    HOLDFAST_WARNINGS: result && Math.max(...reportsOf(result).map(({ warnings }) => warnings.length)),
    HOLDFAST_FAILED_DESTINATIONS:
      result &&
      failedAt(result)
        .map(({ name }) => name)
        .join('\n'),
  };
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value ?? '')]));
}

/** The body of a ping: the set and figures, and the code of a failure. No names of files or destinations. */
export function summaryOf(set: string, end: HookedEnd): string {
  const facts = environmentOf(set, end);
  const lines = [
    ['set', facts['HOLDFAST_SET']],
    ['outcome', facts['HOLDFAST_OUTCOME']],
    ['error', facts['HOLDFAST_ERROR']],
    ['restore point', facts['HOLDFAST_RESTORE_POINT']],
    ['files', facts['HOLDFAST_FILES']],
    ['bytes', facts['HOLDFAST_BYTES_SCANNED']],
    ['bytes uploaded', facts['HOLDFAST_BYTES_UPLOADED']],
    ['warnings', facts['HOLDFAST_WARNINGS']],
    ['seconds', end.result ? String(Math.round(end.result.durationSeconds)) : ''],
  ];
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}\n`] : [])).join('');
}

function reportsOf(result: HookedResult): readonly BackupReport[] {
  return result.destinations?.flatMap(({ report }) => report ?? []) ?? [result];
}

function failedAt({ destinations = [] }: HookedResult): NonNullable<HookedResult['destinations']> {
  return destinations.filter(({ failure }) => failure);
}

function sum(result: HookedResult, count: (report: BackupReport) => number): number {
  return reportsOf(result).reduce((total, report) => total + count(report), 0);
}
