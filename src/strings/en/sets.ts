/** What the window says: sets. */
export const setsEn = {};
