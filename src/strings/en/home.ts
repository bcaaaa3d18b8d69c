/** What the window says: home. */
export const homeEn = {};
