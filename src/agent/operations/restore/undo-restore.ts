import { makeFolderSync } from '../../../engine/filesystem/make-folder.ts';
import type { UndoableRestore, UndoReport } from '../../../engine/restore/undo/undo-report.ts';
import { undoableRestore, undoRestore, type UndoOptions } from '../../../engine/restore/undo/undo-restore.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { lockHome } from '../../context/open-context.ts';
import { requireSettings } from '../../home/settings.ts';

/** Returns the newest restore to the original places that can be undone. @throws HoldfastError `not_set_up` */
export function lastUndoable({ home, clock }: AgentParts): UndoableRestore | undefined {
  requireSettings(home);
  makeFolderSync(home.undoFolder, 0o700);
  return undoableRestore({ records: home.undoFolder, clock });
}

/** Undoes that restore. A dry run does not lock the home. @throws HoldfastError `home_busy`, and what `undoRestore` throws */
export async function undo(parts: AgentParts, options: UndoOptions): Promise<UndoReport> {
  const { home, clock } = parts;
  requireSettings(home);
  makeFolderSync(home.undoFolder, 0o700);
  using _lock = options.dryRun === true ? undefined : lockHome(parts, 'undo');
  return await undoRestore({ records: home.undoFolder, scratch: home.scratchFolder, clock }, options);
}
