import { migration0001 } from './0001-entries-and-runs.ts';
import { migration0002 } from './0002-changes-since-commit.ts';
import { migration0003, type MigrationStep } from './0003-blocks-of-entries.ts';
import { migration0004 } from './0004-what-asked-for-a-run.ts';
import { migration0005 } from './0005-what-a-restore-was-asked-for.ts';
import { migration0006 } from './0006-damaged-chunks.ts';

/** In order; the catalog's `user_version` counts those that were applied. One that has shipped never changes. */
export const migrations: readonly MigrationStep[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
];
