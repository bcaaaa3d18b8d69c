/** The id of the destination while settings have only one. */
export const SOLE_DESTINATION = 'sole';
