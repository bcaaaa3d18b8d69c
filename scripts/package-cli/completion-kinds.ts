/** What a shell offers for an argument or for the value of an option. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' | 'folders' | 'sets' | 'destinations' | 'nothing' };

/** By placeholder. Nothing completes the others: numbers, times, patterns, what is new. */
const PLACEHOLDERS: ReadonlyMap<string, Exclude<Completion['kind'], 'words'>> = new Map([
  ['dir', 'folders'],
  ['file', 'files'],
  ['path', 'files'],
  ['set', 'sets'],
  ['from', 'destinations'],
  ['to', 'destinations'],
]);

/** Commands whose `<name>` is the name of something that exists. */
const EXISTING: Readonly<Record<string, 'sets' | 'destinations'>> = {
  'destination change': 'destinations',
  'destination remove': 'destinations',
  'set show': 'sets',
  'set remove': 'sets',
};
/** Commands whose `<name>` is a backup set. */
const OF_A_SET = /^(?:ls|diff|find|versions|points(?: \w+)?|retention(?: \w+)?|restore|drill|verify|backup|export)$/;
/** Options whose `<name>` is a destination. */
const OF_A_DESTINATION = /^(?!setup |destination ).*--(?:destination|from-destination)$/;

/** @param path the words of the command, and the option if it is one's value */
export function completionOf(
  path: readonly string[],
  placeholder: string,
  choices: readonly string[] | undefined,
): Completion {
  if (choices) return { kind: 'words', words: choices };
  const words = path.slice(1).join(' ');
  if (placeholder === 'name') {
    if (OF_A_DESTINATION.test(words)) return { kind: 'destinations' };
    return { kind: EXISTING[words] ?? (OF_A_SET.test(words) ? 'sets' : 'nothing') };
  }
  return { kind: PLACEHOLDERS.get(placeholder) ?? 'nothing' };
}
