/** What the window says: activity. */
export const activityEn = {};
