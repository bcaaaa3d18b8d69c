import type { ConflictChoice } from '../types.ts';

/**
 * What is done about an entry.
 * `create`: nothing stands there (an entry without a decision is one of these) ·
 * `replace`: what stands there goes · `rename`: it gets a name beside ·
 * `skip`: what stands there stays, and what would be inside is left out too · `use`: a folder that is there already ·
 * `done`: an interrupted run of the same restore made it · `blocked`: a folder stands where a file should go, and
 * nobody asked for folders to be deleted · `taken`: what stands there is another entry's place, under another spelling.
 */
export type Action = 'create' | 'replace' | 'rename' | 'skip' | 'use' | 'done' | 'blocked' | 'taken';

export type EntryType = 'file' | 'directory' | 'symlink';

/** What stands at a target. */
export interface Existing {
  readonly type: EntryType | 'other';
  /** Type, size (or link target) and modification time are those of the entry; the content too where both are kept. */
  readonly same: boolean;
  /** Made by an interrupted run of this very restore. */
  readonly ours: boolean;
}

export interface Decision {
  readonly action: Action;
  /** Whether it has to be asked about: something stands where this entry's data should go. */
  readonly conflict: boolean;
}

/** Pure: looks at nothing but its arguments. Without a choice, a conflict's action is `skip` and is not carried out. */
export function decide(type: EntryType, existing: Existing | undefined, choice: ConflictChoice | undefined): Decision {
  if (!existing) return { action: 'create', conflict: false };
  if (type === 'directory' && existing.type === 'directory') {
    return { action: existing.ours ? 'done' : 'use', conflict: false };
  }
  if (existing.ours && existing.same) return { action: 'done', conflict: false };
  return { action: actionFor(choice ?? 'skip', existing), conflict: true };
}

function actionFor(choice: ConflictChoice, existing: Existing): Action {
  switch (choice) {
    case 'skip':
      return 'skip';
    case 'overwrite':
      return existing.type === 'directory' ? 'blocked' : 'replace';
    case 'keep-both':
      // A second copy of what is there already helps nobody.
      return existing.same ? 'skip' : 'rename';
  }
}
