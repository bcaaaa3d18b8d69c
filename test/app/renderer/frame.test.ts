import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { ShownWindow } from './window-page.ts';

const focused = (shown: ShownWindow): Promise<string> =>
  shown.page.evaluate('document.activeElement.tagName + " " + document.activeElement.textContent.trim()');

describe.skipIf(CHROMIUM === undefined)('frame', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('opens views by Ctrl and a number, focuses what their heading names, and sets the title', async () => {
    const shown = await pages.show(PROTECTED);
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.title()).toBe('Home – Holdfast');
    for (const [key, view] of [
      ['6', 'Settings'],
      ['5', 'Devices'],
      ['1', 'Home'],
    ] as const) {
      await page.keyboard.press(`Control+${key}`);
      await expect.poll(() => page.title()).toBe(`${view} – Holdfast`);
      // The heading itself would not do: Orca is silent about it, since the control that had the focus has gone.
      await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
      const name = view === 'Home' ? /^Protected\. Last backup/ : view;
      expect(await page.getByRole('main', { name }).getAttribute('id')).toBe('content');
      expect(await page.locator('[aria-current=page]').textContent()).toContain(view);
    }
    await shown.close();
  });

  test('has keys for the settings and for moving between navigation and view', async () => {
    const shown = await pages.show(PROTECTED);
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+,');
    await expect.poll(() => page.title()).toBe('Settings – Holdfast');
    await page.keyboard.press('F6');
    expect(await focused(shown)).toBe('BUTTON Settings');
    expect(await page.locator('nav :focus').getAttribute('title')).toBe('Ctrl+6');
    await page.keyboard.press('F6');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    // There is no search field; the key must not fail.
    await page.keyboard.press('Control+f');
    expect(shown.errors).toEqual([]);
    await shown.close();
  });

  test('shows a failure in a view that throws, and renders the others', async () => {
    const days = [{ date: 'no day at all', outcome: 'succeeded' as const, runs: 1 }];
    const shown = await pages.show({ ...PROTECTED, days });
    const { page } = shown;
    await page.getByText(/Something went wrong in Holdfast\./).waitFor();
    await page.keyboard.press('Control+2');
    await page.getByRole('heading', { name: 'Backup sets' }).waitFor();
    await shown.setState(PROTECTED);
    await page.keyboard.press('Control+1');
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    await shown.close();
  });

  test('moves through the navigation by arrow keys, and skips it', async () => {
    const shown = await pages.show(PROTECTED);
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(shown)).toBe('A Skip to content');
    await page.keyboard.press('Tab');
    expect(await focused(shown)).toMatch(/^BUTTON Home/);
    await page.keyboard.press('ArrowUp');
    expect(await focused(shown)).toBe('BUTTON Settings');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused(shown)).toBe('BUTTON Backup sets');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await shown.close();
  });

  test('marks the state beside home with a hidden text', async () => {
    const shown = await pages.show(PROTECTED);
    const mark = shown.page.locator('.frame-mark');
    await mark.waitFor();
    expect(await mark.textContent()).toBe('Protected');
    await shown.setState({ ...PROTECTED, health: 'at-risk' });
    await expect.poll(() => mark.textContent()).toBe('At risk');
    await shown.close();
  });
});
