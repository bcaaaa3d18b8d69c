/** What Orca says of a control after its name. */
const ROLES = 'push button|toggle button|check box|radio button|entry|page tab|switch|link|slider|menu item';

const FAULTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  // The state of a radio button is a sentence of its own, after that of its name.
  ['a control without a name', new RegExp(`^(?:(?:checked|not checked|collapsed) )?(?:${ROLES})\\b[^a-z]*$`)],
  ['a value that is none', /\b(?:undefined|null|NaN|Infinity|\[object \w+\])/],
  ['a time that nobody reads', /\d{4}-\d\d-\d\dT\d\d:\d\d/],
  ['a number joined to a word', /(?:^|\s)\d{1,2}[A-Z][a-z]{2}/],
  ['two sentences joined', /[a-z][.!?][A-Z][a-z]/],
  ['a symbol of an icon', /[\u2500-\u27BF\uE000-\uF8FF]/u],
];

/** Lists what is wrong with a sentence that a screen reader says, whatever it is about. */
export function faultsOf(spoken: string): readonly string[] {
  const found = FAULTS.filter(([, pattern]) => pattern.test(spoken)).map(([name]) => name);
  return hasRepetition(spoken) ? [...found, 'a name that is said twice'] : found;
}

/** Whether the sentence begins with two or more words that it repeats at its end, before the role. */
function hasRepetition(spoken: string): boolean {
  const [, name] =
    new RegExp(`^\\s*(.+?) (?:(?:collapsed|expanded|selected|checked|not checked) )*(?:${ROLES})`).exec(spoken) ?? [];
  const words = name?.split(' ') ?? [];
  for (let length = 2; length <= words.length / 2; length += 1) {
    if (words.slice(0, length).join(' ') === words.slice(-length).join(' ')) return true;
  }
  return words.length > 2 && words[0] === words.at(-1);
}

/** Frequent words, and those of roles, that are none in German. */
const ENGLISH =
  /\b(?:the|and|your|of|with|not|is|are|you|push|button|entry|entries|folder|backup|backups|restore|backed|done|running|checked|selected|heading|list|table|row|column|days?|hours?|settings)\b/i;
/** What the person has named in English. */
const OWN_NAMES = /My files|chapter \d\.txt|Documents|Pictures|Thesis/g;

/** Returns an English word of a sentence that should be German. */
export function englishIn(spoken: string): string | undefined {
  return ENGLISH.exec(spoken.replace(OWN_NAMES, ''))?.[0];
}
