import type { Migration } from './migration.ts';

/** Sessions that are there before their manifest, and that end by when they were last heard of. */
export const waitingSessions: Migration = {
  number: 2,
  name: 'waiting sessions',
  sql: ({ integer }) => `
-- state may also be waiting (for the manifest), and continued: another row took over the session's name and goes on with it.
-- What a continued row announced is cleared away when that one has ended.
ALTER TABLE session ADD COLUMN continued_by ${integer} REFERENCES session (number);
-- When the client was last heard of, to a few minutes.
ALTER TABLE session ADD COLUMN active_at ${integer} NOT NULL DEFAULT 0;
UPDATE session SET active_at = created_at;
`,
};
