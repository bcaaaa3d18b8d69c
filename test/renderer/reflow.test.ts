import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { inLanguage } from './appearance.ts';
import { restoreAnswers } from './restore-answers.ts';
import { SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';

/** The smallest window at 200 %, in CSS pixels. WCAG 2.2, 1.4.10 allows to scroll in one direction only. */
const ZOOMED = { width: 360, height: 260 };

/** Pixels by which a part is wider than it shows, and what is cut off at its right. Runs in the page. */
const CUT = `(() => {
  const part = document.querySelector('.ui-modal') ?? document.querySelector('main');
  const end = part.getBoundingClientRect().left + part.clientWidth;
  const isCut = (element) => element.getBoundingClientRect().right > end + 1;
  const shown = [...part.querySelectorAll('button, input, h1, h2, p')].filter((element) => element.checkVisibility());
  return [part.scrollWidth - part.clientWidth, ...shown.filter(isCut).map((element) => element.textContent)];
})()`;

describe.skipIf(CHROMIUM === undefined)('the smallest window at 200 %', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test.each(['de', 'pseudo'] as const)('shows everything of each view and of a dialog, in %s', async (language) => {
    const shown = await pages.show(
      inLanguage(SEVERAL, language),
      {
        ...activityAnswers(pastRuns(6), () => BACKUP_REPORT),
        ...restoreAnswers({
          'preview.open': () => ({ kind: 'text', preview: 'a'.repeat(32), size: 3, text: 'one', isWhole: true }),
          'preview.close': () => ({}),
        }),
      },
      ZOOMED,
    );
    const { page } = shown;
    const links = page.getByRole('navigation').getByRole('button');
    for (let view = 0; view < (await links.count()); view += 1) {
      await links.nth(view).click();
      await expect.poll(() => links.nth(view).getAttribute('aria-current')).toBe('page');
      await page.locator('main h1').waitFor();
      expect([view, await page.evaluate(CUT)]).toEqual([view, [0]]);
    }
    await links.nth(2).click();
    await page.locator('[role=row][data-index="0"]').dblclick();
    await page.locator('[role=row][data-index="6"]').dblclick();
    await page.locator('.look-text').waitFor();
    expect(await page.evaluate(CUT)).toEqual([0]);
    await page.locator('.look-buttons .ui-button').last().click();
    await page.locator('.restore-plan p').first().waitFor();
    expect(await page.evaluate(CUT)).toEqual([0]);
    await page.locator('.ui-dialog-foot .ui-button').last().scrollIntoViewIfNeeded();
    expect(await shown.overflow()).toBe(0);
    await shown.close();
  });
});
