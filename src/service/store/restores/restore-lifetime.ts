/** How long chunks can be fetched for a restore session after it was last heard of, in milliseconds. */
export const RESTORE_LIFETIME = 7 * 24 * 3_600_000;

/** A session whose end would move by less is not written down again. */
export const RESTORE_PROLONGING = 3_600_000;
