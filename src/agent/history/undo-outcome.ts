import type { UndoReport } from '../../restore/undo/undo-report.ts';
import type { UndoOutcome } from '../../ipc/contract/restore/restore.ts';

/** Converts the report of an undo for the window. */
export function undoOutcomeOf({
  putBack,
  movedAside,
  movedTo,
  notUndone,
  notUndoneTotal,
}: Pick<UndoReport, 'putBack' | 'movedAside' | 'movedTo' | 'notUndone' | 'notUndoneTotal'>): UndoOutcome {
  return { putBack, movedAside, movedTo: [...movedTo], notUndone: [...notUndone], notUndoneTotal };
}
