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
 * What is shown fits three sizes in every language, is accessible in light and dark, and says nothing outside of the
 * catalogues.
 *
 * @param state as it is shown now
 * @param values the data of the test that may stand outside of brackets in the pseudo-locale
 */
export async function expectGoodLooks(shown: ShownWindow, state: AppState, values: readonly Value[]): Promise<void> {
  const { page } = shown;
  for (const language of ['pseudo', 'de', 'en'] as const) {
    await shown.tell({ ...state, preferences: { ...state.preferences, language } });
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

/** Goes there as somebody without a pointer does. */
export async function tabTo({ page }: ShownWindow, name: RegExp): Promise<void> {
  const names: string[] = [];
  for (let step = 0; step < 80; step += 1) {
    const at = String(
      await page.evaluate(
        '(document.activeElement.ariaLabel || document.activeElement.labels?.[0]?.textContent || document.activeElement.value || document.activeElement.textContent).trim().slice(0, 60)',
      ),
    );
    if (name.test(at)) return;
    names.push(at);
    await page.keyboard.press('Tab');
  }
  throw new Error(`no ${String(name)} among ${names.join(' | ')}`);
}

/** What was asked of the agent and the main process under a name, in order. */
export function asked(shown: ShownWindow, name: string): readonly unknown[] {
  return shown.calls.filter((call) => call.name === name).map(({ input }) => input);
}
