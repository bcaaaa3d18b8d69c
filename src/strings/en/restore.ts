/** What the window says: restore. */
export const restoreEn = {};
