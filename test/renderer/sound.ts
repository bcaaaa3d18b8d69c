import { expect } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { DEFAULT_PREFERENCES } from '../../src/ipc/preferences.ts';
import { untranslated } from './untranslated.ts';
import type { Value } from './untranslated.ts';
import type { ShownWindow } from './window-page.ts';

/** Smallest, usual and large, in both schemes and every language: where the words are longest, the window is smallest. */
export const LOOKS = [
  { width: 720, height: 520, colorScheme: 'light', language: 'pseudo' },
  { width: 720, height: 520, colorScheme: 'dark', language: 'de' },
  { width: 1000, height: 700, colorScheme: 'dark', language: 'en' },
  { width: 1440, height: 900, colorScheme: 'light', language: 'de' },
] as const;
export type Look = (typeof LOOKS)[number];

export function inLanguage(state: AppState, language: Look['language']): AppState {
  return { ...state, preferences: { ...DEFAULT_PREFERENCES, language } };
}

/** Nothing serious for axe, nothing wider than the window, nothing broken, and in the pseudo-locale nothing missed. */
export async function expectSound(shown: ShownWindow, look: Look, values: readonly Value[]): Promise<void> {
  expect(await shown.faults()).toEqual([]);
  expect(await shown.overflow()).toBe(0);
  expect(await innerOverflow(shown)).toEqual([]);
  expect(shown.errors).toEqual([]);
  if (look.language === 'pseudo') expect(await untranslated(shown.page, values)).toEqual([]);
}

/** Parts that scroll sideways though nobody wants them to. */
function innerOverflow(shown: ShownWindow): Promise<readonly string[]> {
  return shown.page.evaluate(`[...document.querySelectorAll('main, .first-body')]
    .filter((part) => part.scrollWidth > part.clientWidth)
    .map((part) => part.className + ' by ' + (part.scrollWidth - part.clientWidth))`);
}
