/** What the window says: settings. */
export const settingsEn = {};
