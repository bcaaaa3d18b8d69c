/** Bytes that sealing adds to a chunk: a 12-byte IV and a 16-byte GCM tag. */
export const BLOB_OVERHEAD = 28;
