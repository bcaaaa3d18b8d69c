import type { ResumeJournal } from '../conflicts/resume-journal.ts';
import type { Plan } from '../plan/plan.ts';
import type { LocalRestoreRequest, RestoreDependencies } from '../types.ts';
import type { Target } from '../write/target.ts';
import { RecordSeal } from './record-seal.ts';
import { UndoRecord } from './undo-record.ts';

/** Returns `undefined` if nothing is written, or not to the original places. */
export function openUndoRecord(
  { source, to, dryRun = false }: LocalRestoreRequest,
  { point, bases }: Plan,
  target: Target,
  { id, startedAt }: ResumeJournal,
  { undoRecords, clock, keys }: RestoreDependencies,
): UndoRecord | undefined {
  if (dryRun || to !== null || undoRecords === undefined) return undefined;
  const { deviceId, backupSet } = source;
  const facts = {
    journal: id,
    deviceId,
    backupSet,
    restorePoint: point.restorePoint,
    startedAt,
    continuedAt: clock.now(),
    target: target.path,
    deepest: target.deepest,
    bases: bases.map(({ folder = [], name }) => ({ folder: [...folder], name })),
  };
  return UndoRecord.forRestore(undoRecords, facts, new RecordSeal(keys.undo));
}
