/** Chunks that did not open when a restore point was verified: the destination has them and takes no other ones for them. */
export const migration0006 = `
CREATE TABLE damaged_chunk (
  digest        BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
`;
