const NO_BREAK = '\u00a0';
const NARROW_NO_BREAK = '\u202f';

/** What a language requires beyond what a translator types: spaces where no line may end. */
const RULES: Readonly<Record<string, (text: string) => string>> = {
  de: (text) => text.replaceAll(' …', `${NO_BREAK}…`),
  fr: (text) =>
    text
      .replaceAll(/ (?=[?!;])/g, NARROW_NO_BREAK)
      .replaceAll(/ (?=[:»])/g, NO_BREAK)
      .replaceAll('« ', `«${NO_BREAK}`),
};

export function typographyOf(language: string): (text: string) => string {
  return RULES[language] ?? ((text) => text);
}
