import type { Migration } from './migration.ts';
import { POSTGRES_ACCOUNTS_AND_TREES } from './0001-accounts-and-trees.postgres.ts';
import { SQLITE_ACCOUNTS_AND_TREES } from './0001-accounts-and-trees.sqlite.ts';

export const accountsAndTrees: Migration = {
  number: 1,
  name: 'accounts and trees',
  sql: ({ dialect }) => (dialect === 'sqlite' ? SQLITE_ACCOUNTS_AND_TREES : POSTGRES_ACCOUNTS_AND_TREES),
};
