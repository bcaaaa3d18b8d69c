import { isSameFile, seeFile, type DatabaseFormat } from './database-format.ts';
import { MINUTE } from '../../../model/units.ts';

/** Bytes of a header of a page, and of the description of a state that follows in each of the first two pages. */
const STATE_BYTES = 16 + 136;
/** Where the first of them has the size of a page, and where each has the number of the last page in use. */
const PAGE_SIZE_AT = 40;
const LAST_PAGE_AT = 136;
const LARGEST_PAGE = 65_536;

/**
 * A database of LMDB. Each transaction writes to pages that neither of the last two states has, and then over the older of the two descriptions in the first two pages. As
 * long as both are the same, all pages of the newest state are.
 *
 * @see https://git.openldap.org/openldap/openldap/-/blob/mdb.RE/0.9/libraries/liblmdb/mdb.c (`mdb_page_alloc`, `mdb_find_oldest`)
 */
export const LMDB: DatabaseFormat = {
  see: (path) => {
    const seen = seeFile(path, 2 * LARGEST_PAGE);
    if (!seen || seen.head.length < STATE_BYTES) return new Map();
    const pageSize = seen.head.readUInt32LE(PAGE_SIZE_AT);
    const states = [0, pageSize].map((at) => seen.head.subarray(at, at + STATE_BYTES));
    if (states.some(({ length }) => length < STATE_BYTES)) return new Map();
    // The file may be as large as the database may ever become.
    const lastPages = states.map((state) => state.readBigUInt64LE(LAST_PAGE_AT));
    const used = (Math.max(...lastPages.map(Number)) + 1) * pageSize;
    return new Map([['', { stat: seen.stat, head: Buffer.concat(states), used }]]);
  },
  isOneMoment: (before, after) => isSameFile(before.get(''), after.get('')),
  isSettled: () => false,
  // Memory that is written to changes the time of its file again once the system has stored it, which it does within half a minute.
  settlesAfter: MINUTE,
};
