import type { Page } from 'playwright';

/** A value that is shown unchanged, such as a name or a path. */
export type Value = string | RegExp;

/** Proper names, and texts that react-aria translates itself. */
const NAMES: readonly Value[] = [
  'Holdfast',
  'Dismiss',
  'Increase',
  'Decrease',
  'Clear search',
  'Number field',
  'Calendar',
  // Each language has its own name.
  'English',
  'Deutsch',
  'Français',
  'Español',
  '日本語',
  'العربية',
];

const MONTHS =
  'Jan(uary)?|Feb(ruary)?|Mar(ch)?|Apr(il)?|May|June?|July?|Aug(ust)?|Sept?(ember)?|Oct(ober)?|Nov(ember)?|Dec(ember)?';
const DAYS = '(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const UNITS = 'seconds?|minutes?|hours?|days?|weeks?|months?|years?|sec|min|hr|s|m|h|d';

/** Formats of Intl for numbers, times and sizes (src/strings/formats.ts). */
const FORMATTED: readonly RegExp[] = [
  new RegExp(`\\b(${MONTHS}|${DAYS})\\b`, 'g'),
  new RegExp(`(about |in |less than |last |next |this )?\\d*[.,]?\\d*\\s?\\b(${UNITS})\\b( ago)?`, 'g'),
  /\b(today|yesterday|tomorrow|now)\b/gi,
  /\b[ap]m\b/gi,
  /\b\d[\d.,]*\s?(B|[kMGTP]B|[KMGT]iB)(\/s)?/g,
  /\bat\b/g,
];

/**
 * Finds texts and accessible names that are on the page and not in the catalogues. The window has to be in the pseudo-locale
 * (`preferences: { ...DEFAULT_PREFERENCES, language: 'pseudo' }`), in which everything catalogued stands in brackets.
 *
 * @param values the data of the test that may stand outside of brackets: names of sets, paths, addresses
 * @returns each as `where: text`; empty if every text is in the catalogues
 */
export async function untranslated(page: Page, values: readonly Value[] = []): Promise<readonly string[]> {
  const found = (await page.evaluate(COLLECT)) as readonly (readonly [where: string, text: string])[];
  const missed = found
    .filter(([, text]) => /\p{L}/u.test(rest(text, values)))
    .map(([where, text]) => `${where}: ${text}`);
  return [...new Set(missed)];
}

function rest(text: string, values: readonly Value[]): string {
  let left = text;
  for (let before = ''; before !== left;) {
    before = left;
    left = left.replace(/\[[^[\]]*\]/g, ' ');
  }
  for (const value of longestFirst([...values, ...NAMES])) left = left.replaceAll(global(value), ' ');
  for (const format of FORMATTED) left = left.replaceAll(format, ' ');
  return left;
}

function longestFirst(values: readonly Value[]): readonly Value[] {
  return values.toSorted((a, b) => String(b).length - String(a).length);
}

function global(value: Value): Value {
  return value instanceof RegExp && !value.global ? new RegExp(value.source, `${value.flags}g`) : value;
}

/** Runs in the page. The parts of a sentence that a name divides count as one text. */
const COLLECT = `(() => {
  const found = [];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('script, style, template');
  const nameOf = (element) => element.tagName.toLowerCase() + (element.className && typeof element.className === 'string' ? '.' + element.className.trim().split(/\\s+/)[0] : '');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const sentence = node.parentElement.closest('[data-sentence]');
    const text = (sentence?.textContent ?? node.data).trim();
    if (text !== '' && isShown(node.parentElement)) found.push([nameOf(node.parentElement), text]);
  }
  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element)) continue;
    for (const name of ['aria-label', 'aria-valuetext', 'aria-description', 'aria-roledescription', 'title', 'placeholder', 'alt']) {
      const text = (element.getAttribute(name) ?? '').trim();
      if (text !== '') found.push([nameOf(element) + '[' + name + ']', text]);
    }
  }
  return found;
})()`;
