/**
 * Picks the sentence for a number: `count(2, 'One file is there', '# files are there')` is “2 files are there”. `#` stands
 * for the number where it is not at the beginning, or has no place.
 *
 * @param language BCP 47
 */
export function countedSentenceOf(language: string): (count: number, one: string, other: string) => string {
  const rules = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language);
  return (count, one, other) => (rules.select(count) === 'one' ? one : other).replace('#', number.format(count));
}
