/** What a restore was asked for, so that it can be asked for again. */
export const migration0005 = `
ALTER TABLE job ADD COLUMN request TEXT; -- JSON (job/journal.ts); nothing of other jobs, and of older catalogs
`;
