/** What the window says: devices. */
export const devicesEn = {};
