import { ANY_SERVICE_MUTANTS } from './any-service.ts';
import { COMPUTER_MEND_MUTANTS } from './audit/computer-mends.ts';
import { SERVICE_MEND_MUTANTS } from './audit/service-mends.ts';
import { BACKUP_MUTANTS } from './backup.ts';
import { COLLECTION_MUTANTS } from './collection.ts';
import { UNREADABLE_MUTANTS } from './unreadable.ts';
import { DESKTOP_MUTANTS } from './desktop.ts';
import { HISTORY_MUTANTS } from './history.ts';
import { KEY_MUTANTS } from './keys.ts';
import { MOUNT_MUTANTS } from './mount.ts';
import type { Mutant } from './mutant.ts';
import { COPY_AND_SUM_MUTANTS, REPOSITORY_MUTANTS } from './repository.ts';
import { RESTORE_MUTANTS } from './restore.ts';
import { SERVICE_MUTANTS } from './service.ts';
import { UPDATE_MUTANTS } from './updates.ts';

/** Changes that tests have to notice. */
export const MUTANTS: readonly Mutant[] = [
  ...BACKUP_MUTANTS,
  ...RESTORE_MUTANTS,
  ...MOUNT_MUTANTS,
  ...DESKTOP_MUTANTS,
  ...SERVICE_MUTANTS,
  ...UPDATE_MUTANTS,
  ...REPOSITORY_MUTANTS,
  ...COLLECTION_MUTANTS,
  ...UNREADABLE_MUTANTS,
  ...COPY_AND_SUM_MUTANTS,
  ...KEY_MUTANTS,
  ...HISTORY_MUTANTS,
  ...ANY_SERVICE_MUTANTS,
  ...COMPUTER_MEND_MUTANTS,
  ...SERVICE_MEND_MUTANTS,
];
