import type { Action, PlannedEntry } from '../record/planned-entry.ts';
import type { ConflictChoice } from '../../model/restore-request.ts';

export type EntryType = PlannedEntry['type'];

/** The file, folder or link that exists at a target. */
export interface Existing {
  readonly type: EntryType | 'other';
  /** Type, size (or link target) and modification time are those of the entry; for `keep-both`, the content too. */
  readonly same: boolean;
  /** Of a file or link in its original place, or of this restore: it has the content of the entry, whatever its time. */
  readonly hasContent?: boolean;
  /** Made by an interrupted run of this very restore. */
  readonly ours: boolean;
}

export interface Decision {
  readonly action: Action;
  /** True if the user has to choose: something exists where the entry's data should go. */
  readonly conflict: boolean;
}

/**
 * Decides about an entry. Pure. Without a choice, the action of a conflict is `skip` and is not carried out.
 *
 * @param inPlace whether the entry goes back to its original place, where the same content is no conflict, and what is replaced
 *   is moved aside, also a folder
 */
export function decide(
  type: EntryType,
  existing: Existing | undefined,
  choice: ConflictChoice | undefined,
  inPlace = false,
): Decision {
  if (!existing) return { action: 'create', conflict: false };
  if (type === 'directory' && existing.type === 'directory') {
    return { action: existing.ours ? 'done' : 'use', conflict: false };
  }
  if (existing.ours && (existing.hasContent ?? existing.same)) return { action: 'done', conflict: false };
  if (inPlace && existing.hasContent === true) return { action: 'keep', conflict: false };
  if (inPlace && choice === 'overwrite') return { action: 'replace', conflict: true };
  return { action: actionFor(choice ?? 'skip', existing), conflict: true };
}

function actionFor(choice: ConflictChoice, existing: Existing): Action {
  switch (choice) {
    case 'skip':
      return 'skip';
    case 'overwrite':
      return existing.type === 'directory' ? 'blocked' : 'replace';
    case 'keep-both':
      // A second copy of the same content is of no use.
      return existing.same ? 'skip' : 'rename';
  }
}
