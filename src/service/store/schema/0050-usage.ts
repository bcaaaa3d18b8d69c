import type { Migration } from './migration.ts';

/** So that what an account backed up in a time is found without looking at all that was ever backed up. */
export const usage: Migration = {
  number: 50,
  name: 'usage',
  sql: () => `
CREATE INDEX session_of_account ON session (account_id, restore_point) WHERE sequence IS NOT NULL;
`,
};
