import { expect } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { untranslated } from './untranslated.ts';
import type { Value } from './untranslated.ts';
import type { ShownWindow } from './window-page.ts';

/**
 * Smallest, usual and large, in both schemes and every language: where the words are longest, the window is smallest. What
 * axe finds depends on the scheme alone, so it looks once at each.
 */
export const LOOKS = [
  { width: 720, height: 520, colorScheme: 'light', language: 'pseudo', isExamined: true },
  { width: 720, height: 520, colorScheme: 'light', language: 'de', isExamined: false },
  { width: 1000, height: 700, colorScheme: 'dark', language: 'de', isExamined: true },
  { width: 1440, height: 900, colorScheme: 'light', language: 'en', isExamined: false },
] as const;
type Look = Omit<(typeof LOOKS)[number], 'isExamined'> & { readonly isExamined: boolean };

export function inLanguage(state: AppState, language: Look['language']): AppState {
  return { ...state, preferences: { ...state.preferences, language } };
}

/** Nothing serious for axe, nothing wider than the window, nothing broken, and in the pseudo-locale nothing missed. */
export async function expectSound(shown: ShownWindow, look: Look, values: readonly Value[]): Promise<void> {
  if (look.isExamined) expect(await shown.faults()).toEqual([]);
  expect(await shown.overflow()).toBe(0);
  expect(await shown.page.evaluate(WIDER)).toEqual([]);
  expect(shown.errors).toEqual([]);
  if (look.language === 'pseudo') expect(await untranslated(shown.page, values)).toEqual([]);
}

/** Parts that scroll sideways though nobody wants them to. Runs in the page. */
const WIDER = `[...document.querySelectorAll('main, .first-body')]
  .filter((part) => part.scrollWidth > part.clientWidth)
  .map((part) => part.className + ' by ' + (part.scrollWidth - part.clientWidth))`;
