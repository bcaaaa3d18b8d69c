import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { setsAnswers, THREE } from './sets-answers.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { ShownWindow } from './window-page.ts';

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('toasts', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('are announced politely, can be closed, and hide nothing', async () => {
    const shown = await withCopied();
    const { page } = shown;
    const said = page.getByRole('status').filter({ hasText: 'Copied' });
    await said.waitFor();
    expect(await page.getByRole('region', { name: 'Messages' }).count()).toBe(1);
    // Screen readers say an alert dialog by itself, and its status again.
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    // The pressed button keeps the focus.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Copy');
    // It stays while the pointer is on it.
    await said.hover();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await shown.faults()).toEqual([]);
    }
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Close' }).click();
    await said.waitFor({ state: 'detached' });
    expect(shown.errors).toEqual([]);
  });

  test('disappear after a while', async () => {
    const { page } = await withCopied();
    const said = page.getByRole('status').filter({ hasText: 'Copied' });
    await said.waitFor();
    await page.clock.runFor(6_000);
    await said.waitFor({ state: 'detached' });
  });
});

/** The command of a set has just been copied. */
async function withCopied(): Promise<ShownWindow> {
  const shown = await pages.show(THREE, setsAnswers());
  onTestFinished(() => shown.close());
  const { page } = shown;
  await shown.stopClock();
  await page.getByRole('navigation').getByRole('button').nth(1).click();
  await page.getByRole('button', { name: 'Edit Documents' }).click();
  await page.getByRole('tab', { name: /^Command/ }).click();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  return shown;
}
