import { migration0001 } from './0001-entries-and-runs.ts';

/** In order; the catalog's `user_version` counts those that were applied. One that has shipped never changes. */
export const migrations: readonly string[] = [migration0001];
