/** Whether every look is tried rather than those that decide: `npm run campaign -- looks`, before a release. */
export const IS_EVERY_LOOK = (process.env['HOLDFAST_EVERY_LOOK'] ?? '') !== '';
