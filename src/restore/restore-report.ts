import { join } from 'node:path';
import { systemFunctionWarnings } from '../os/filesystem/system-functions.ts';
import type { RunWarning } from '../jobs/run-warning.ts';
import { wantedChunks } from '../read/chunks/wanted-chunks.ts';
import type { ConflictSummary } from './conflicts/conflicts.ts';
import type { OpenedFolders } from './conflicts/opened-folders.ts';
import type { ResumeJournal } from './record/resume-journal.ts';
import type { Plan } from './plan/plan.ts';
import type { PlanStore } from './record/plan-store.ts';
import type { Action } from './record/planned-entry.ts';
import { reportedSurplus } from './record/surplus-store.ts';
import { readSources } from './progress-meter.ts';
import type { LocalRestoreRequest, RestoreDependencies, RestoreReport } from './types.ts';
import type { RecordedChanges } from './record/recorded-changes.ts';
import type { RestoreRun } from './write/restore-run.ts';
import type { Target } from './write/target.ts';
import { digestOf } from '../format/chunks/digest.ts';

/** What the steps of a restore share. */
export interface RestoreParts {
  readonly request: LocalRestoreRequest;
  readonly deps: RestoreDependencies;
  readonly target: Target;
  readonly store: PlanStore;
  readonly plan: Plan;
  readonly journal: ResumeJournal;
  /** What is changed in the original places, if it can be undone. */
  readonly changes: RecordedChanges | undefined;
  readonly run: RestoreRun;
  readonly opened: OpenedFolders;
}

export function reportOf(
  { plan, store, run, request, target, deps }: RestoreParts,
  conflicts: ConflictSummary,
  keptIn: readonly string[] = [],
): RestoreReport {
  const { dryRun } = request;
  return {
    restorePoint: plan.point.restorePoint,
    target: target.path,
    filesRestored: dryRun ? conflicts.files - conflicts.names.filesNotRestored : run.filesRestored,
    filesSkipped: conflicts.skipped,
    filesUnchanged: conflicts.unchanged,
    filesResumed: conflicts.resumed,
    bytesResumed: conflicts.resumedBytes,
    bytesWritten: dryRun ? conflicts.bytes - conflicts.resumedBytes : run.bytesWritten,
    bytesDownloaded: run.meter.state.bytesDownloaded,
    failures: run.failures.named,
    failuresTotal: run.failures.total,
    filesFailed: run.failures.files,
    stoppedBy: run.stoppedBy,
    warnings: [
      ...systemFunctionWarnings(request.source.backupSet),
      ...plan.warnings,
      ...(plan.hasTree ? [] : unverifiedFiles(store)),
      ...run.warnings,
    ],
    attributesNotRestored: run.warningsTotal,
    attributesLeft: conflictPaths(target, conflicts.attributesLeft),
    attributesLeftTotal: conflicts.attributesLeftTotal,
    notes: [
      ...(plan.hasLogs ? (['with-database-logs'] as const) : []),
      ...(run.ownershipNotRestored ? (['ownership-not-restored'] as const) : []),
      ...(run.hasCopiedLinks ? (['links-copied'] as const) : []),
    ],
    conflicts: conflictPaths(target, conflicts.conflicts),
    conflictsTotal: conflicts.conflictsTotal,
    conflictsNewer: conflicts.conflictsNewer,
    ...(dryRun === true ? plannedOf(conflicts) : {}),
    names: conflicts.names,
    ...(dryRun === true && request.to === null ? { bytesToFetch: bytesToFetch(store) } : {}),
    ...(request.exact === true ? { surplus: reportedSurplus(store.surplus, target.path, dryRun) } : {}),
    keptIn,
    ...readSources(deps.downloader),
  };
}

function plannedOf({ created, undecided, byChoice, met, needed }: ConflictSummary): Pick<RestoreReport, 'planned'> {
  return { planned: { filesNew: created, undecided, byChoice, met, bytesNeeded: needed } };
}

/** Files that are named because nothing proves them. */
const MAX_UNVERIFIED = 10_000;

function unverifiedFiles(store: PlanStore): readonly RunWarning[] {
  const warnings: RunWarning[] = [];
  for (const { type, path, action } of store.workInOrder()) {
    if (type !== 'file' || (action !== null && KEEPS.has(action))) continue;
    warnings.push({ path, reason: 'unverified' });
    if (warnings.length === MAX_UNVERIFIED) break;
  }
  return warnings;
}

/** Plaintext bytes of the chunks that no existing file has. */
function bytesToFetch(store: PlanStore): number {
  const seen = new Set<string>();
  let bytes = 0;
  for (const work of store.workInOrder()) {
    const isWritten = work.leader === null || work.leader === work.id;
    if (!isWritten || (work.action !== null && !WRITES.has(work.action))) continue;
    for (const { hash, size = 0 } of wantedChunks(work, [])) {
      if (seen.has(hash)) continue;
      seen.add(hash);
      if (!store.found.findChunk(digestOf(hash))) bytes += size;
    }
  }
  return bytes;
}

const WRITES: ReadonlySet<Action> = new Set(['create', 'replace', 'rename']);

/** Actions after which no data of the entry is in the target. */
const KEEPS: ReadonlySet<Action> = new Set(['skip', 'keep', 'blocked', 'unproven', 'taken', 'unnamable']);

/** @param below paths below the target folder */
export function conflictPaths(target: Target, below: readonly string[]): readonly string[] {
  return below.map((path) => join(target.path, path));
}
