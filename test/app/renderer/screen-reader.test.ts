import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { accountAnswers } from './account-answers.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { restoreAnswers } from './restore-answers.ts';
import { setsAnswers, THREE, THREE_RUNNING } from './sets-answers.ts';
import { DOCUMENTS, PROTECTED, RUNNING } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const ANSWERS: Answers = {
  ...setsAnswers(),
  ...restoreAnswers(),
  ...activityAnswers(pastRuns(3), () => BACKUP_REPORT),
  ...accountAnswers(),
  'devices.list': () => ({ devices: [], canRevoke: false }),
};

/** Levels of the visible headings in their order. Runs in the page. */
const LEVELS = `[...document.querySelectorAll('main h1, main h2, main h3, main h4')]
  .filter((heading) => heading.checkVisibility({ visibilityProperty: true }))
  .map((heading) => Number(heading.tagName[1]))`;

describe.skipIf(CHROMIUM === undefined)('screen readers', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state: AppState): Promise<ShownWindow> {
    const shown = await pages.show(state, ANSWERS);
    onTestFinished(() => shown.close());
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    return shown;
  }

  test('find one title, headings without gaps and the same two landmarks in every view', async () => {
    const { page } = await open(THREE);
    for (const key of ['1', '2', '3', '4', '5', '6']) {
      await page.keyboard.press(`Control+${key}`);
      await page.locator(`nav li:nth-child(${key}) [aria-current=page]`).waitFor();
      await page.locator('main h1').waitFor();
      await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
      const levels = (await page.evaluate(LEVELS)) as readonly number[];
      expect([key, levels.filter((level) => level === 1).length, levels[0]]).toEqual([key, 1, 1]);
      const gaps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
      expect([key, levels, gaps]).toEqual([key, levels, []]);
      expect(await page.getByRole('navigation', { name: 'Sections' }).count()).toBe(1);
      expect(await page.getByRole('main').count()).toBe(1);
    }
  });

  test('announce the current view and its key', async () => {
    const { page } = await open(THREE);
    expect(await page.getByRole('navigation').ariaSnapshot()).toContain('- button "Home Protected"');
    expect(await page.locator('nav [aria-current]').getAttribute('aria-keyshortcuts')).toBe('Control+1');
  });

  test('announce the start, the quarters and the end of a run', async () => {
    const shown = await open(PROTECTED);
    const news = shown.page.locator('[data-part=run-news]');
    expect(await news.getAttribute('aria-live')).toBe('polite');
    const at = (bytesDone: number): AppState => ({
      ...PROTECTED,
      health: 'running',
      runs: [{ ...RUNNING, bytesDone, bytesTotal: 100 }],
    });
    await shown.setState(at(1));
    await expect.poll(() => news.textContent()).toBe('Backing up “Documents”: scanning files.');
    await shown.setState(at(51));
    await expect.poll(() => news.textContent()).toBe('Backing up “Documents”: 50%.');
    await shown.setState(at(70));
    const ended = { id: RUNNING.id, kind: 'backup', outcome: 'failed', startedAt: 1, endedAt: 2, warnings: 0 } as const;
    await shown.setState({ ...PROTECTED, sets: [{ ...DOCUMENTS, lastBackup: ended }] });
    await expect.poll(() => news.textContent()).toBe('Backup of “Documents”: Failed.');
  });

  test('announce kind, outcome and time of a run, and unit and error of a field', async () => {
    const { page } = await open(THREE_RUNNING);
    await page.keyboard.press('Control+4');
    await page
      .getByRole('row', { name: /^Backup of “\w+”, Done, \d\d:\d\d$/ })
      .first()
      .waitFor();
    await page.keyboard.press('Control+2');
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await page.getByRole('tab', { name: /^Conditions/ }).click();
    await page.getByRole('textbox', { name: 'Minimum charge (%)' }).waitFor();
    await page.getByRole('tab', { name: /^When/ }).click();
    // With the label as the element that names it, Orca reads the label before the name that contains it.
    const often = page.getByRole('button', { name: /^How often / });
    expect(await often.getAttribute('aria-labelledby')).toBe('');
    await often.click();
    await page.getByRole('option', { name: 'By a cron rule' }).click();
    const rule = page.getByRole('textbox', { name: 'Cron rule' });
    await rule.fill('every day');
    await expect.poll(() => rule.getAttribute('aria-invalid')).toBe('true');
    const described = await page.evaluate(`document.activeElement.getAttribute('aria-describedby')
      .split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ')`);
    expect(described).toContain('A cron rule has five parts');
  });

  test('find a dialog by its name, and their focus is returned', async () => {
    const { page } = await open(THREE);
    await page.keyboard.press('Control+2');
    const more = page.getByRole('button', { name: 'More for Projects' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement.closest('[role$=dialog]') !== null`)).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More for Projects');
  });
});
