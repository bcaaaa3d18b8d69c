import { BACKUP_MUTANTS } from './backup.ts';
import { DESKTOP_MUTANTS } from './desktop.ts';
import type { Mutant } from './mutant.ts';
import { RESTORE_MUTANTS } from './restore.ts';

/** Changes that tests have to notice. */
export const MUTANTS: readonly Mutant[] = [...BACKUP_MUTANTS, ...RESTORE_MUTANTS, ...DESKTOP_MUTANTS];
