import { migration0001 } from './0001-entries-and-runs.ts';
import { migration0002 } from './0002-changes-since-commit.ts';

/** In order; the catalog's `user_version` counts those that were applied. One that has shipped never changes. */
export const migrations: readonly string[] = [migration0001, migration0002];
