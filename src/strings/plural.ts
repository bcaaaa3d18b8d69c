interface Formats {
  readonly rules: Intl.PluralRules;
  readonly number: Intl.NumberFormat;
}

/**
 * Formats a number of things: `count(1, 'file', 'files')` is “1 file”, and of 1204 “1,204 files”.
 *
 * @param language BCP 47; the second form is used for every plural category except `one`
 */
export function counterOf(language: string): (count: number, one: string, other: string) => string {
  const formats = formatsOf(language);
  return (count, one, other) => {
    const { rules, number } = formats();
    return `${number.format(count)} ${rules.select(count) === 'one' ? one : other}`;
  };
}

/**
 * Selects the sentence for a number: `count(2, 'One file is there', '# files are there')` is “2 files are there”. `#`
 * marks the number if it is not at the beginning, or is omitted.
 *
 * @param language BCP 47
 */
export function countedSentenceOf(language: string): (count: number, one: string, other: string) => string {
  const formats = formatsOf(language);
  return (count, one, other) => {
    const { rules, number } = formats();
    return (rules.select(count) === 'one' ? one : other).replace('#', number.format(count));
  };
}

/** Creates the formats at the first call: the first ones of a process take 10 ms, and every command loads the sentences. */
function formatsOf(language: string): () => Formats {
  let formats: Formats | undefined;
  return () => (formats ??= { rules: new Intl.PluralRules(language), number: new Intl.NumberFormat(language) });
}
