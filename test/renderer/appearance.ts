import { expect } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { untranslated } from './untranslated.ts';
import type { Value } from './untranslated.ts';
import type { ShownWindow } from './window-page.ts';

const SIZES = [
  { width: 720, height: 520 },
  { width: 1000, height: 700 },
  { width: 1440, height: 900 },
] as const;

/**
 * The smallest, a usual and a large window in both schemes and every language. The longest texts meet the smallest window.
 * The findings of axe depend on the scheme only, so it runs once in each.
 */
export const APPEARANCES = [
  { width: 720, height: 520, colorScheme: 'light', language: 'pseudo', isExamined: true },
  { width: 720, height: 520, colorScheme: 'light', language: 'de', isExamined: false },
  { width: 1000, height: 700, colorScheme: 'dark', language: 'de', isExamined: true },
  { width: 1440, height: 900, colorScheme: 'light', language: 'en', isExamined: false },
] as const;
type Language = (typeof APPEARANCES)[number]['language'];
type Appearance = Omit<(typeof APPEARANCES)[number], 'isExamined'> & { readonly isExamined: boolean };

export function inLanguage(state: AppState, language: Language): AppState {
  return { ...state, preferences: { ...state.preferences, language } };
}

/** Expects no finding of axe, no overflow, no error, and in the pseudo-locale no text outside of the catalogues. */
export async function expectSound(shown: ShownWindow, appearance: Appearance, values: readonly Value[]): Promise<void> {
  if (appearance.isExamined) expect(await shown.faults()).toEqual([]);
  expect(await shown.overflow()).toBe(0);
  expect(await shown.page.evaluate(OVERFLOWING)).toEqual([]);
  expect(shown.errors).toEqual([]);
  if (appearance.language === 'pseudo') expect(await untranslated(shown.page, values)).toEqual([]);
}

/**
 * Expects that the shown view fits three sizes in every language, is accessible in light and dark, and has no text outside
 * of the catalogues.
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
  for (const language of ['pseudo', 'de', 'en'] as const) {
    await shown.setState(inLanguage(state, language));
    await expect
      .poll(() => page.evaluate("document.querySelector('nav').textContent"))
      .toContain({ pseudo: '[', de: 'Geräte', en: 'Devices' }[language]);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect([language, size.width, await shown.overflow()]).toEqual([language, size.width, 0]);
    }
    if (language === 'pseudo') expect(await untranslated(page, values)).toEqual([]);
    else {
      await page.emulateMedia({ colorScheme: language === 'de' ? 'dark' : 'light' });
      expect([language, await shown.faults()]).toEqual([language, []]);
    }
  }
  expect(shown.errors).toEqual([]);
}

/** Lists parts that scroll sideways. Runs in the page. */
const OVERFLOWING = `[...document.querySelectorAll('main, .first-body')]
  .filter((part) => part.scrollWidth > part.clientWidth)
  .map((part) => part.className + ' by ' + (part.scrollWidth - part.clientWidth))`;
