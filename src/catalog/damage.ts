import { basename } from 'node:path';
import { HoldfastError, isHoldfastError, systemCodeOf } from '../base/errors/errors.ts';

/** The name of the catalog's file in errors that are thrown where its path is not known. */
const CATALOG = 'catalog.sqlite';

/** Makes the error of a catalog whose content is not what was written. */
export function catalogDamage(problem: string): HoldfastError {
  return new HoldfastError('home_damaged', { file: CATALOG, problem });
}

/** Returns whether an error shows that a catalog's content is damaged, so that it has to be made anew. */
export function isCatalogDamage(error: unknown): boolean {
  if (isHoldfastError(error, 'home_damaged')) {
    const { file, problem } = error.details;
    return file !== undefined && basename(file) === CATALOG && problem !== 'newer-version';
  }
  const code = systemCodeOf(error) ?? '';
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_IOERR_SHORT_READ' || code.startsWith('SQLITE_CORRUPT');
}
