import { parse, TYPE } from '@formatjs/icu-messageformat-parser';
import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser';

/** Parses a message in ICU MessageFormat; throws a sentence if its syntax is wrong. */
export function parseMessage(message: string): readonly MessageFormatElement[] {
  try {
    // `<` is an ordinary character.
    return parse(message, { ignoreTag: true, requiresOtherClause: true, shouldParseSkeletons: false });
  } catch (error) {
    throw new Error(`not valid ICU MessageFormat: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Yields each element with those inside of it. */
export function* elementsOf(message: readonly MessageFormatElement[]): Generator<MessageFormatElement> {
  for (const element of message) {
    yield element;
    if (element.type === TYPE.select || element.type === TYPE.plural) {
      for (const { value } of Object.values(element.options)) yield* elementsOf(value);
    }
  }
}

/**
 * Returns the formats and variants of a message's arguments, sorted: `bytes, number, bytes`, `place, select, none other`. Without
 * plurals, since a number may have to be counted in one language only.
 */
export function formatsOf(message: readonly MessageFormatElement[]): readonly string[] {
  const uses = new Set<string>();
  for (const element of elementsOf(message)) {
    if (element.type === TYPE.number || element.type === TYPE.date || element.type === TYPE.time) {
      uses.add(`${element.value}, ${TYPE[element.type]}, ${styleOf(element)}`);
    }
    if (element.type === TYPE.select) {
      uses.add(`${element.value}, select, ${Object.keys(element.options).toSorted().join(' ')}`);
    }
  }
  return [...uses].toSorted();
}

/** Returns the names of a message's arguments. */
export function argumentsOf(message: readonly MessageFormatElement[]): ReadonlySet<string> {
  const names = [...elementsOf(message)].map((element) => ('value' in element ? [element.type, element.value] : []));
  return new Set(
    names.flatMap(([type, name]) =>
      typeof name === 'string' && type !== TYPE.literal && type !== TYPE.tag ? [name] : [],
    ),
  );
}

/** Returns the name of an argument's format; empty for none, and for skeletons, which are not used. */
export function styleOf({ style }: { readonly style?: unknown }): string {
  return typeof style === 'string' ? style : '';
}

const categories = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Returns the plural categories of whole numbers in a language (CLDR), each with its numbers up to 1,000. */
export function categoriesOf(language: string): ReadonlyMap<string, readonly number[]> {
  const known = categories.get(language);
  if (known) return known;
  const rules = new Intl.PluralRules(language);
  const found = Map.groupBy(
    Array.from({ length: 1_001 }, (_, count) => count),
    (count) => rules.select(count) as string,
  );
  categories.set(language, found);
  return found;
}
