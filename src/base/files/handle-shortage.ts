import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemCodeOf } from '../errors/errors.ts';

/** A database in WAL mode, its log, its index of the log, and a file that is synced. */
const HANDLES_OF_A_DATABASE = 4;

/**
 * SQLite reports every reason for which it cannot open a file as SQLITE_CANTOPEN. Returns the system's error (EMFILE, ENFILE) if it
 * is that too many files are open, else the error itself. To be called before anything else is closed.
 */
export function openingError(error: unknown): unknown {
  if (systemCodeOf(error) !== 'SQLITE_CANTOPEN') return error;
  const handles: number[] = [];
  try {
    while (handles.length < HANDLES_OF_A_DATABASE) handles.push(openSync(devNull, 'r'));
    return error;
  } catch (shortage) {
    return shortage;
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

/** Opens a database. @throws the system's error if that is why SQLite cannot */
export function opened<Result>(open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw openingError(error);
  }
}
