import { failureOf, INTERNAL } from '../../../base/errors/failure.ts';
import { Catalog } from '../../../catalog/catalog.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { recordRefused, wasTried, type RefusedRun } from '../../history/refused-runs.ts';
import type { BackupRun } from './backup-run.ts';

/**
 * Runs a backup, and records it as failed if it fails before it has a job. Without a job, the status and the weekly report would know
 * nothing of it.
 *
 * @param work is given the run whose jobs it has to report @throws what `work` throws
 */
export async function recordingFailedStart<Result>(
  { home, clock }: Pick<AgentParts, 'home' | 'clock'>,
  backup: Pick<RefusedRun, 'set' | 'destinations' | 'trigger'>,
  run: BackupRun,
  work: (run: BackupRun) => Promise<Result>,
): Promise<Result> {
  const startedAt = clock.now();
  let hasBegun = false;
  const onJob = (id: number): void => {
    hasBegun = true;
    run.onJob?.(id);
  };
  try {
    return await work({ ...run, onJob });
  } catch (error) {
    if (!hasBegun && wasTried(error)) {
      const failure = failureOf(error) ?? INTERNAL;
      record(home.catalogFile, { ...backup, kind: 'backup', startedAt, endedAt: clock.now(), failure });
    }
    throw error;
  }
}

function record(catalogFile: string, run: RefusedRun): void {
  try {
    using catalog = new Catalog(catalogFile);
    recordRefused(catalog.journal, run);
  } catch {
    // A full disk has no room for the journal either: the caller gets the error of the run.
  }
}
