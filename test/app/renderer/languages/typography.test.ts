import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../../src/ipc/state.ts';
import { CUT_OFF } from '../../../helpers/browser/cut-off.ts';
import { FITTING_LANGUAGES, inLanguage } from '../appearance.ts';
import { restoreAnswers } from '../restore-answers.ts';
import { FORM, setsAnswers, THREE } from '../sets-answers.ts';
import { PROTECTED } from '../states.ts';
import { CHROMIUM, WindowPages } from '../window-page.ts';
import type { Answers, ShownWindow } from '../window-page.ts';

const SMALLEST = { width: 720, height: 520 };
const PATTERNS = Array.from({ length: 24 }, (_, index) => `folder-${index}/`);
const HEADING = 'このディスクの故障には備えられていますが、ほかの保存先がありません';
const FIELD = 'main input[type=search]';

describe.skipIf(CHROMIUM === undefined)('the typography of a language', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state: AppState, answers: Answers, view: number): Promise<ShownWindow> {
    const { language } = state.preferences;
    const locale = typeof language === 'string' ? language : 'en';
    const shown = await pages.show(state, answers, { ...SMALLEST, locale });
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(view).click();
    return shown;
  }

  async function openEditor(tab: number, form: Partial<typeof FORM> = {}): Promise<Page> {
    const answers = setsAnswers({
      'sets.get': ({ set }) => ({ form: { ...FORM, name: set, ...form }, command: `holdfast set add ${set}` }),
      'sets.presets': () => ({ presets: [{ name: 'developer', patterns: PATTERNS, isDefault: false }] }),
    });
    const { page } = await open(inLanguage(THREE, 'ar'), answers, 1);
    await page.locator('.sets-list li').first().getByRole('button').nth(1).click();
    await page.locator('[role=treeitem]').first().waitFor();
    await page.getByRole('tab').nth(tab).click();
    await page.locator('[role=tabpanel]:not([inert])').waitFor();
    return page;
  }

  test.each(FITTING_LANGUAGES)('leaves room for the hint of the search in %s', async (language) => {
    const shown = await open(inLanguage(PROTECTED, language), restoreAnswers(), 0);
    const { page } = shown;
    for (const view of [0, 2]) {
      await page.getByRole('navigation').getByRole('button').nth(view).click();
      await page.locator(FIELD).waitFor();
      expect(await page.evaluate<string[]>(CUT_OFF)).toEqual([]);
      expect(await inPage(page, FIELD, '(input) => getComputedStyle(input).textOverflow')).toBe('ellipsis');
      await inPage(page, FIELD, '(input) => void (input.style.textOverflow = "clip")');
      expect(await page.evaluate<string[]>(CUT_OFF)).toEqual([]);
      await inPage(page, FIELD, '(input) => void (input.style.maxWidth = "200px")');
      expect(await page.evaluate<string[]>(CUT_OFF)).toEqual([expect.stringMatching(/^input “/)]);
    }
  });

  test('writes hours left of minutes in Arabic, and the half of the day where the language has it', async () => {
    const page = await openEditor(2, { schedule: 'daily 18:30' });
    await page.locator('.ui-time').waitFor();
    // As a sentence has it: half past six, the half of the day to the left.
    expect(await inPage(page, '.ui-time', LEFT_TO_RIGHT)).toEqual(['dayPeriod', 'hour', 'minute']);
  });

  test('cuts a list of patterns at its end in Arabic', async () => {
    const page = await openEditor(1);
    await page.getByText(new RegExp(PATTERNS[0]!)).first().waitFor();
    expect(await inPage(page, '[role=tabpanel]:not([inert])', SHOWN_PART, PATTERNS[0])).toEqual({
      isCut: true,
      isShown: true,
    });
    expect(await inPage(page, '[role=tabpanel]:not([inert])', SHOWN_PART, PATTERNS.at(-1))).toEqual({
      isCut: true,
      isShown: false,
    });
  });

  test('breaks no Japanese heading inside of a word', async () => {
    const { page } = await open(inLanguage(PROTECTED, 'ja'), {}, 0);
    await page.locator('main h1').waitFor();
    await inPage(page, 'main h1', '(heading, text) => void (heading.textContent = text)', HEADING);
    for (let width = 120; width < 400; width += 12)
      expect(await inPage(page, 'main h1', BROKEN_WORDS, width)).toEqual([]);
  });
});

/** Calls a function in the page with an element of it. */
function inPage(page: Page, selector: string, source: string, argument?: string | number): Promise<unknown> {
  return page.evaluate(`(${source})(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(argument)})`);
}

/** Returns the kinds of the segments of a field of a time, from left to right. Runs in the page. */
const LEFT_TO_RIGHT = `(field) => [...field.querySelectorAll('[data-type]')]
  .filter((segment) => segment.dataset.type !== 'literal')
  .toSorted((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left)
  .map((segment) => segment.dataset.type)`;

/** Returns whether a line is cut, and whether a text of it is within its box. Runs in the page. */
const SHOWN_PART = `(line, text) => {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    const at = node.data.indexOf(text);
    if (at < 0 || part.closest('.ui-hidden')) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + text.length);
    const { left, right } = range.getBoundingClientRect();
    const box = part.getBoundingClientRect();
    return { isCut: part.scrollWidth > part.clientWidth, isShown: left >= box.left && right <= box.right };
  }
  throw new Error(text + ' is not in the line');
}`;

/** Returns the words of Chinese characters or Katakana that a heading of a width breaks. Runs in the page. */
const BROKEN_WORDS = `(heading, width) => {
  heading.style.maxWidth = width + 'px';
  const node = heading.firstChild;
  const range = document.createRange();
  const topOf = (index) => {
    range.setStart(node, index);
    range.setEnd(node, index + 1);
    return range.getBoundingClientRect().top;
  };
  return [...new Intl.Segmenter('ja', { granularity: 'word' }).segment(node.data)]
    .filter(({ segment }) => /^[\\p{sc=Kana}\\p{sc=Han}ー]{2,}$/u.test(segment))
    .filter(({ index, segment }) => topOf(index) !== topOf(index + segment.length - 1))
    .map(({ segment }) => segment);
}`;
