/** Sizes, paths and times have the same digits everywhere in a text: Arabic uses 0 to 9, too. @param region BCP 47 */
export function withDigits(region: string): string {
  return /^ar\b/.test(region) && !region.includes('-u-') ? `${region}-u-nu-latn` : region;
}
