/** Why a run began and where a restore went; and the runs of a month without reading their reports. */
export const migration0004 = `
ALTER TABLE job ADD COLUMN began_by TEXT; -- a word of whoever asked for it; nothing of older catalogs
ALTER TABLE job ADD COLUMN target TEXT;   -- of a restore
CREATE INDEX job_by_end ON job (ended_at, kind, state, backup_set);
CREATE INDEX job_by_kind ON job (backup_set, kind, started_at);
`;
