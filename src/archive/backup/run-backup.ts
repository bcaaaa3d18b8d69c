import type { Clock } from '../../base/clock.ts';
import { scanObserver } from './reading/scan-observer.ts';
import { SharedReading } from './reading/shared-reading.ts';
import { RecordedRun } from './target/recorded-run.ts';
import type {
  BackupDependencies,
  BackupOptions,
  BackupOutcome,
  BackupReport,
  BackupRequest,
  BackupTarget,
} from './types.ts';

/** How long reading waits for other destinations to open when the first one is. */
const OPENING_MS = 2000;

/**
 * Backs up a set to one or more destinations. The set is scanned and read once, and its chunks are sealed once. Then each
 * destination gets its manifest and the chunks that it lacks, and completes or fails by itself. A run can be interrupted at
 * any point: the next one finds the chunk lists in the catalog and the uploaded chunks at the destinations.
 *
 * @returns the outcome of each target, in their order. Errors are `source_*` before anything is sent, `interrupted`, and
 *   those of the service
 */
export async function runBackup(
  request: BackupRequest,
  targets: readonly BackupTarget[],
  dependencies: BackupDependencies,
  options: BackupOptions = {},
): Promise<readonly BackupOutcome[]> {
  const { signal } = options;
  // Ends the reading when no destination is left that needs it.
  const unneeded = new AbortController();
  const reading = new SharedReading(request, dependencies, {
    targets: targets.length,
    signal: AbortSignal.any([unneeded.signal, ...(signal ? [signal] : [])]),
  });
  const runs = targets.map((target) => new RecordedRun(target, { request, dependencies, reading, options }));
  const outcomes = Promise.all(runs.map(async (run) => await execute(run, options)));
  const readingEnded = read(reading, runs, dependencies.clock);
  try {
    return await outcomes;
  } finally {
    unneeded.abort();
    await readingEnded;
    await reading.copies[Symbol.asyncDispose]();
  }
}

async function execute(run: RecordedRun, { onOutcome }: BackupOptions): Promise<BackupOutcome> {
  const outcome = await run.execute();
  onOutcome?.(outcome);
  return outcome;
}

async function read(reading: SharedReading, runs: readonly RecordedRun[], clock: Clock): Promise<void> {
  if (!(await areOpen(runs, clock))) return;
  await reading.read(scanObserver(() => runs.flatMap(({ activeMeter }) => activeMeter ?? [])));
}

/** Waits for the first destination, and briefly for the others. Returns false if none can be used. */
async function areOpen(runs: readonly RecordedRun[], clock: Clock): Promise<boolean> {
  const prepared = runs.map((run) => run.prepared);
  try {
    await Promise.any(prepared);
  } catch {
    return false;
  }
  if (runs.length === 1) return true;
  const enough = new AbortController();
  const patience = clock.sleep(OPENING_MS, enough.signal).catch(() => undefined);
  await Promise.race([Promise.allSettled(prepared), patience]);
  enough.abort();
  return true;
}

/** Returns the report of a target. @throws its error */
export function reportOfOutcome({ report, error }: BackupOutcome): BackupReport {
  if (report) return report;
  throw error;
}
