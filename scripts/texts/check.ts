import { TYPE } from '@formatjs/icu-messageformat-parser';
import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { LANGUAGES, PRODUCTS, SOURCE } from './catalogues.ts';
import type { Product } from './catalogues.ts';
import { entriesOf } from './po-file.ts';
import type { Entry } from './po-file.ts';
import { argumentsOf, categoriesOf, elementsOf, parseMessage, formatsOf } from './icu.ts';
import { outdatedTypes } from './compile.ts';
import { literalsOf } from './literals.ts';
import { foreignMarksOf } from './marks.ts';

export interface Problem {
  readonly product: string;
  readonly language: string;
  readonly key: string;
  readonly sentence: string;
}

/** Returns all problems of the catalogues of all products, and the files of types that are not up to date. */
export function problemsOfAll(): readonly Problem[] {
  const found = PRODUCTS.flatMap((product) =>
    Object.keys(LANGUAGES).flatMap((language) => problemsOf(product, language)),
  );
  if (found.length > 0) return found;
  return PRODUCTS.flatMap((product) =>
    outdatedTypes(product).map((file) => ({
      product: product.name,
      language: '',
      key: file,
      sentence: 'is not up to date: run “npm run texts”',
    })),
  );
}

/** Returns the problems of one language; a missing text is one if the language has to be complete. */
export function problemsOf(product: Product, language: string): readonly Problem[] {
  const sources = new Map(entriesOf(product, SOURCE).map((entry) => [entry.key, entry]));
  const entries = entriesOf(product, language);
  const problems: Problem[] = [];
  const report = (key: string, sentence: string): void => {
    problems.push({ product: product.name, language, key, sentence });
  };
  const seen = new Set<string>();
  for (const entry of entries) {
    if (seen.has(entry.key)) report(entry.key, 'exists twice');
    seen.add(entry.key);
    const source = sources.get(entry.key);
    if (!source) report(entry.key, `does not exist in ${SOURCE}`);
    else if (language === SOURCE)
      for (const sentence of problemsIn(entry.source, language)) report(entry.key, sentence);
    else if (source.source !== entry.source) report(entry.key, 'has another English text: run “npm run texts”');
    else if (isTranslated(entry)) {
      for (const sentence of problemsOfTranslation(entry, language)) report(entry.key, sentence);
    }
  }
  if (language !== SOURCE && LANGUAGES[language]?.isComplete === true) {
    for (const { key } of missingOf(product, language)) report(key, 'is not translated');
  }
  return problems;
}

/** Returns the English entries that a language has no valid translation of. */
export function missingOf(product: Product, language: string): readonly Entry[] {
  const translated = new Set(
    entriesOf(product, language)
      .filter(isTranslated)
      .map(({ key, source }) => `${key}\n${source}`),
  );
  return entriesOf(product, SOURCE).filter(({ key, source }) => !translated.has(`${key}\n${source}`));
}

function isTranslated({ translation, isFuzzy }: Entry): boolean {
  return translation !== '' && !isFuzzy;
}

/** Returns what is wrong with a translation: in itself, and compared with the English message. */
export function problemsOfTranslation(
  { source, translation }: Pick<Entry, 'source' | 'translation'>,
  language: string,
): readonly string[] {
  const problems = problemsIn(translation, language);
  if (problems.length > 0) return problems;
  const [wanted, found] = [parseMessage(source), parseMessage(translation)];
  const [wantedNames, foundNames] = [argumentsOf(wanted), argumentsOf(found)];
  const [wantedUses, foundUses] = [wanted, found].map((message) => new Set(formatsOf(message))) as [
    Set<string>,
    Set<string>,
  ];
  const [wantedLiterals, foundLiterals] = [literalsOf(source), literalsOf(translation)];
  return [
    ...[...wantedNames].filter((name) => !foundNames.has(name)).map((name) => `lacks {${name}}`),
    ...[...foundNames].filter((name) => !wantedNames.has(name)).map((name) => `has {${name}}, which English lacks`),
    ...[...wantedUses].filter((use) => !foundUses.has(use)).map((use) => `lacks the use {${use}}`),
    ...[...foundUses].filter((use) => !wantedUses.has(use)).map((use) => `uses {${use}}, which English does not`),
    ...[...wantedLiterals].filter((one) => !foundLiterals.has(one)).map((one) => `lacks “${one}”`),
    ...[...foundLiterals].filter((one) => !wantedLiterals.has(one)).map((one) => `has “${one}”, which English lacks`),
    ...[...foreignMarksOf(translation, language)].map(
      (mark) => `has “${mark}”, which the language writes in another way`,
    ),
    ...(outerSpace(source) === outerSpace(translation) ? [] : ['has other spaces at its ends than English']),
  ];
}

function outerSpace(text: string): string {
  return `${/^\s*/.exec(text)![0]}|${/\s*$/.exec(text)![0]}`;
}

/** Returns what is wrong with a message in its language: its syntax, its plurals. */
export function problemsIn(message: string, language: string): readonly string[] {
  let parsed: ReturnType<typeof parseMessage>;
  try {
    parsed = parseMessage(message);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  const needed = categoriesOf(language);
  const known = new Set(new Intl.PluralRules(language).resolvedOptions().pluralCategories);
  return [...elementsOf(parsed)].flatMap((element) => {
    if (element.type !== TYPE.plural) return [];
    const keys = Object.keys(element.options);
    const named = keys.filter((key) => !key.startsWith('='));
    const exact = new Set(keys.filter((key) => key.startsWith('=')).map((key) => Number(key.slice(1))));
    // Without any other category and the number itself, exact numbers only select a variant.
    const isVariant = exact.size > 0 && named.length === 1 && !counts(element.options['other']?.value ?? []);
    const lacking = [...needed.keys()].filter(
      (category) => !isVariant && !named.includes(category) && !isCovered(needed.get(category)!, exact),
    );
    const unknown = named.filter((category) => category !== 'other' && !known.has(category as Intl.LDMLPluralRule));
    const subject = `{${element.value}, plural}`;
    return lacking
      .map((category) => `${subject} lacks “${category}”`)
      .concat(unknown.map((category) => `${subject} has “${category}”, which the language does not know`));
  });
}

/** Returns whether a form contains the number that it is selected by. */
function counts(form: readonly MessageFormatElement[]): boolean {
  return form.some((element) => element.type === TYPE.pound);
}

/** Returns whether every number of a category has a form of its own. */
function isCovered(numbers: readonly number[], exact: ReadonlySet<number>): boolean {
  return numbers.every((number) => exact.has(number));
}
