import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IS_THOROUGH } from '../../../helpers/thorough.ts';
import { Keyboard } from '../../../helpers/browser/keyboard.ts';
import { callsOf } from '../keyboard.ts';
import { POINTS, ROOT } from '../restore-answers.ts';
import { CHROMIUM, WindowPages } from '../window-page.ts';
import type { ShownWindow } from '../window-page.ts';
import { everyView, WHOLE, WHOLE_ANSWERS } from './every-view.ts';

/** One of each kind: the others have the same controls in the same lists, tabs and forms. */
const ROUNDS = new Set([
  'home',
  'set editor: When',
  'restore: found',
  'activity: run',
  'settings: Security',
  ...(IS_THOROUGH ? ['sets', 'restore', 'devices'] : []),
]);

describe.skipIf(CHROMIUM === undefined)('the keyboard alone', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(): Promise<ShownWindow> {
    const shown = await pages.show(WHOLE, WHOLE_ANSWERS);
    onTestFinished(() => shown.close());
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    return shown;
  }

  test('finds a file, looks at its versions and restores one', async () => {
    const shown = await open();
    const { page } = shown;
    const keyboard = new Keyboard(page);
    await keyboard.key('Control+3');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    await keyboard.key('Control+f');
    await keyboard.type('budget');
    await page.getByText('1 result').waitFor();
    await keyboard.press(/look at 2 versions/);
    const look = page.getByRole('dialog', { name: 'budget 2026.ods' });
    await look.waitFor();
    await page.getByRole('option').nth(1).waitFor();
    await keyboard.to(/2026/);
    await keyboard.key('ArrowDown');
    await expect.poll(() => page.getByRole('option').nth(1).getAttribute('aria-selected')).toBe('true');
    // Escape closes one dialog at a time, and each returns the focus to where it was opened.
    await keyboard.press(/^Restore this version/);
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog.waitFor();
    await keyboard.key('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keyboard.to(/^Restore this version/);
    await keyboard.key('Enter');
    await dialog.waitFor();
    await keyboard.press(/^Start restoring/);
    await expect
      .poll(() => callsOf(shown, 'restore.start'))
      .toMatchObject([{ set: 'Documents', paths: [`${ROOT}/budget 2026.ods`], to: null }]);
    expect(POINTS.map(({ restorePoint }) => Date.parse(restorePoint))).toContain(
      (callsOf(shown, 'restore.start')[0] as { at: number }).at,
    );
  });

  test('returns to the found file after a dialog that was opened from it', async () => {
    const { page } = await open();
    const keyboard = new Keyboard(page);
    await keyboard.key('Control+3');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    await keyboard.key('Control+f');
    await keyboard.type('budget');
    await page.getByText('1 result').waitFor();
    await keyboard.press(/^Restore “budget 2026.ods”/);
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog.waitFor();
    await dialog.getByText(/will be written/).waitFor();
    await keyboard.key('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => keyboard.name()).toMatch(/^Restore “budget 2026.ods”/);
  });

  test('changes a setting on each tab, and a choice of a menu', async () => {
    const shown = await open();
    const { page } = shown;
    const keyboard = new Keyboard(page);
    await keyboard.key('Control+6');
    await keyboard.to(/^General/);
    for (const tab of ['Destination', 'Security', 'Network', 'About']) {
      await keyboard.key('ArrowRight');
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      expect(await keyboard.name()).toBe(tab);
    }
    await keyboard.key('Home');
    await page.getByRole('tab', { name: 'General', selected: true }).waitFor();
    await keyboard.press(/^Start at login/, 'Space');
    await expect.poll(() => callsOf(shown, 'preferences.save').length).toBe(1);
    await keyboard.to(/^Language /);
    await keyboard.key('Enter');
    await page.getByRole('listbox').waitFor();
    await keyboard.key('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await expect.poll(() => keyboard.name()).toMatch(/^Language /);
    await keyboard.key('Enter');
    await keyboard.key('End');
    await keyboard.key('Enter');
    await expect.poll(() => callsOf(shown, 'preferences.save').length).toBe(2);
    await expect.poll(() => keyboard.name()).toMatch(/^Language /);
  });

  test('gets through every view and back, with a visible focus at each stop', async () => {
    const { page } = await open();
    const keyboard = new Keyboard(page);
    for await (const name of everyView(page)) {
      // A dialog keeps the focus until it is closed. A tab of each kind of page is enough.
      if ((await page.getByRole('dialog').count()) > 0 || !ROUNDS.has(name)) continue;
      const { forth, back } = await keyboard.round('.frame-skip');
      expect([name, [...back].toReversed()]).toEqual([name, forth]);
    }
  });
});
