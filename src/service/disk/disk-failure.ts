/** 53100 is PostgreSQL's code for a full disk. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100']);
const UNWRITABLE = new Set(['EIO', 'ENODEV', 'EROFS', 'EACCES', 'EPERM', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']);

/** Classifies a failure of the disk, whether it came from the file system, SQLite or PostgreSQL. */
export function diskFailureOf(error: unknown): 'full' | 'unwritable' | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (FULL.has(code)) return 'full';
  return UNWRITABLE.has(code) || code.startsWith('SQLITE_READONLY') ? 'unwritable' : undefined;
}
