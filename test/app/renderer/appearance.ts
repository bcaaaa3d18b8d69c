import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { IS_THOROUGH } from '../../helpers/thorough.ts';
import { untranslated } from './untranslated.ts';
import type { Value } from './untranslated.ts';
import type { ShownWindow } from './window-page.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The smallest window and a usual one. What fits both fits a larger one, which has more room for the same. */
export const FITTING_SIZES: readonly Size[] = [
  { width: 720, height: 520 },
  { width: 1000, height: 700 },
  ...(IS_THOROUGH ? [{ width: 1440, height: 900 }] : []),
];

/**
 * The languages that decide whether a text fits: German has the longest words, Arabic runs from right to left, Japanese has wide
 * glyphs without spaces. Whatever fits these fits the others.
 */
export const FITTING_LANGUAGES = IS_THOROUGH
  ? (['de', 'ar', 'ja', 'en', 'fr', 'es'] as const)
  : (['de', 'ar', 'ja'] as const);

/**
 * Both sizes, both schemes, the longest texts and those from right to left, each once: none of these depends on another. The
 * findings of axe depend on the scheme only, and most of them not even on that, so it runs once in each.
 */
export const APPEARANCES: readonly Appearance[] = [
  { width: 720, height: 520, colorScheme: 'light', language: 'pseudo', isExamined: true },
  { width: 1000, height: 700, colorScheme: 'dark', language: 'ar', isExamined: true },
  ...(IS_THOROUGH
    ? ([
        { width: 720, height: 520, colorScheme: 'light', language: 'ar', isExamined: false },
        { width: 1000, height: 700, colorScheme: 'dark', language: 'pseudo', isExamined: true },
        { width: 1440, height: 900, colorScheme: 'light', language: 'de', isExamined: false },
      ] as const)
    : []),
];
type Language = AppState['preferences']['language'];
interface Appearance extends Size {
  readonly colorScheme: 'light' | 'dark';
  readonly language: Language;
  readonly isExamined: boolean;
}

export function inLanguage(state: AppState, language: Language): AppState {
  return { ...state, preferences: { ...state.preferences, language } };
}

/** Expects no finding of axe, no overflow, no error, and in the pseudo-locale no cut text and none outside of the catalogues. */
export async function expectSound(shown: ShownWindow, appearance: Appearance, values: readonly Value[]): Promise<void> {
  await picture(shown, appearance);
  // What is shown in the dark is examined in the light as well.
  const scope = appearance.colorScheme === 'light' ? 'everything' : 'colours';
  if (appearance.isExamined) expect(await shown.faults(scope)).toEqual([]);
  expect(await shown.overflow()).toBe(0);
  expect(await shown.page.evaluate(OVERFLOWING)).toEqual([]);
  if (appearance.language === 'pseudo') expect(await shown.page.evaluate(CUT)).toEqual([]);
  expect(shown.errors).toEqual([]);
  if (appearance.language === 'pseudo') expect(await untranslated(shown.page, values)).toEqual([]);
}

/**
 * Expects that the shown view fits each size with the longest texts and with those from right to left, is accessible in light and
 * dark, and has no text outside of the catalogues.
 *
 * @param state the state that is shown now
 * @param values data of the test that may stand outside of brackets in the pseudo-locale
 */
export async function expectSoundEverywhere(
  shown: ShownWindow,
  state: AppState,
  values: readonly Value[],
): Promise<void> {
  const { page } = shown;
  for (const language of ['pseudo', ...FITTING_LANGUAGES.filter((one) => IS_THOROUGH || one === 'ar')] as const) {
    await shown.setState(inLanguage(state, language));
    // The pseudo-locale is in brackets, and English to the page.
    if (language === 'pseudo') await page.getByRole('navigation').getByText(/\[/).first().waitFor();
    else await page.locator(`html[lang=${language}]`).waitFor();
    for (const size of FITTING_SIZES) {
      await page.setViewportSize(size);
      expect([language, size.width, await shown.overflow()]).toEqual([language, size.width, 0]);
    }
    if (language === 'pseudo') expect(await untranslated(page, values)).toEqual([]);
    const colorScheme = language === 'pseudo' ? 'light' : 'dark';
    await page.emulateMedia({ colorScheme });
    expect([language, await shown.faults(colorScheme === 'dark' ? 'colours' : 'everything')]).toEqual([language, []]);
  }
  expect(shown.errors).toEqual([]);
  await shown.setState(state);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Writes a picture for a person to look at. */
async function picture({ page }: ShownWindow, { width, language }: Appearance): Promise<void> {
  if ((process.env['HOLDFAST_PICTURES'] ?? '') === '') return;
  const folder = join(import.meta.dirname, '../../../test-results/appearances');
  mkdirSync(folder, { recursive: true });
  const name = `${expect.getState().testPath?.match(/(\w[\w-]*)\.test\.ts$/)?.[1] ?? ''}-${language}-${width}`;
  pictures.set(name, (pictures.get(name) ?? 0) + 1);
  await page.screenshot({ path: join(folder, `${name}-${pictures.get(name)}.png`) });
}

const pictures = new Map<string, number>();

/** Lists parts that scroll sideways. Runs in the page. */
const OVERFLOWING = `[...document.querySelectorAll('main, .first-body')]
  .filter((part) => part.scrollWidth > part.clientWidth)
  .map((part) => part.className + ' by ' + (part.scrollWidth - part.clientWidth))`;

/**
 * Lists texts of the catalogues that are cut off, or that lie over another text of the same scrolled part. Runs in the page,
 * in the pseudo-locale.
 */
const CUT = `(() => {
  const found = [];
  const texts = [];
  const scrollerOf = (element) => {
    let at = element;
    while (at && at !== document.body && !/auto|scroll/.test(getComputedStyle(at).overflowY)) at = at.parentElement;
    return at;
  };
  const isAfloat = (element, scroller) => {
    for (let at = element; at && at !== scroller; at = at.parentElement)
      if (/absolute|fixed|sticky/.test(getComputedStyle(at).position)) return true;
    return false;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    const element = node.parentElement;
    if (!text.includes('[') || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('script, style, .ui-hidden, option')) continue;
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
      // A title or a name for screen readers has the whole text.
      if (style.clipPath !== 'none' || at.title !== '') break;
      if (/hidden|clip/.test(style.overflowX) && at.scrollWidth > at.clientWidth + 1) {
        found.push('cut: ' + text + ' in ' + (at.className || at.tagName) + ' by ' + (at.scrollWidth - at.clientWidth));
        break;
      }
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    const scroller = scrollerOf(element);
    if (isAfloat(element, scroller)) continue;
    for (const box of range.getClientRects()) if (box.width > 1) texts.push({ text, node, scroller, box });
  }
  for (const [index, one] of texts.entries()) {
    for (const other of texts.slice(index + 1)) {
      if (one.node === other.node || one.scroller !== other.scroller) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width > 2 && height > 5) found.push('over another: ' + one.text + ' / ' + other.text);
    }
  }
  return [...new Set(found)];
})()`;
