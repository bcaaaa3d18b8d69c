import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CUT_OFF } from '../../helpers/browser/cut-off.ts';
import { IS_THOROUGH } from '../../helpers/thorough.ts';
import { FITTING_LANGUAGES, inLanguage } from './appearance.ts';
import { POINTS, restoreAnswers } from './restore-answers.ts';
import { BACKUP_DISK, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers } from './window-page.ts';

const { id, name, location: directory } = BACKUP_DISK;
const STATES: Readonly<Record<string, Answers>> = {
  usual: {},
  'the destination away': {
    'restore.points': () => ({
      points: [...POINTS],
      away: { destination: { id, name }, failure: { code: 'destination_missing', details: { directory } } },
    }),
  },
  'a restore to undo': {
    'restore.undoable': () => ({
      last: {
        set: 'Documents',
        restorePoint: POINTS[0]!.restorePoint,
        startedAt: NOW - 3_600_000,
        replaced: 2,
        moved: 3,
        created: 1,
        isBegun: false,
      },
    }),
  },
};
const VERBS = {
  en: 'Restore',
  de: 'wiederherstellen',
  fr: 'Restaurer',
  es: 'Restaurar',
  ja: '復元',
  ar: 'استعادة',
} as const;
/** The smallest window at 200 %, the smallest, and larger ones, which have more room for the same buttons. */
const SIZES = [
  [640, 400],
  [720, 520],
  ...(IS_THOROUGH
    ? ([
        [1000, 700],
        [1440, 900],
      ] as const)
    : []),
] as const;
const LONG = 'microscope overview of the northern field station, all series.tiff';

describe.skipIf(CHROMIUM === undefined)('the button that restores the current row', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test.for(Object.keys(STATES))(
    'has its verb and the beginning of the name in the languages that decide: %s',
    async (state) => {
      const shown = await pages.show(PROTECTED, restoreAnswers(STATES[state]));
      onTestFinished(() => shown.close());
      const { page } = shown;
      await page.getByRole('navigation').getByRole('button').nth(2).click();
      const row = page.locator('[role=row][data-index="0"]');
      await row.dblclick();
      await page.locator('[role=row][data-index="5"]').waitFor();
      for (const language of FITTING_LANGUAGES) {
        await shown.setState(inLanguage(PROTECTED, language));
        await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe(language);
        for (const [width, height] of SIZES) {
          await page.setViewportSize({ width, height });
          for (const [entry, start] of [
            ['Archive', 'Archive'],
            [LONG, 'micro'],
          ] as const) {
            await page.getByRole('grid').focus();
            await page.keyboard.press('Home');
            if (entry === LONG) await page.keyboard.type('micro');
            await expect.poll(() => visibleText(page), { message: `${language} ${width} ${entry}` }).toContain(start);
            const text = await visibleText(page);
            expect([language, width, text]).toEqual([language, width, expect.stringContaining(VERBS[language])]);
            await expect
              .poll(() => page.evaluate<number>(GAP), { timeout: 3000, message: `gap in ${language} at ${width}` })
              .toBeLessThan(2);
            expect(await page.getByRole('button', { name: new RegExp(entry) }).count()).toBe(1);
            await takePicture(page, `${state}-${language}-${width}-${start}`);
          }
          expect([language, width, await shown.overflow()]).toEqual([language, width, 0]);
          expect([language, width, await page.evaluate(CUT_OFF)]).toEqual([language, width, []]);
          expect([language, width, await page.evaluate(COVERED)]).toEqual([language, width, false]);
        }
      }
    },
  );
});

/** Returns the characters of the primary button that are not cut off. An ellipsis covers what is next to the edge. */
async function visibleText(page: Page): Promise<string> {
  return page.evaluate(VISIBLE);
}

const VISIBLE = `(() => {
  const button = document.querySelector('.restore-chosen [data-kind=primary]');
  const walker = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let text = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const boxes = [button.getBoundingClientRect()];
    for (let at = node.parentElement; at !== button; at = at.parentElement) {
      if (getComputedStyle(at).overflowX === 'visible') continue;
      const { left, right } = at.getBoundingClientRect();
      const isCut = at.scrollWidth > at.clientWidth;
      const isReversed = getComputedStyle(at).direction === 'rtl';
      boxes.push({ left: left + (isCut && isReversed ? 14 : 0), right: right - (isCut && !isReversed ? 14 : 0) });
    }
    const [left, right] = [Math.max(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.right))];
    for (let index = 0; index < node.data.length; index += 1) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const box = range.getBoundingClientRect();
      if (box.left >= left - 1 && box.right <= right + 1) text += node.data[index];
    }
  }
  return text;
})()`;

/** Returns whether the rows lie over the buttons. Runs in the page. */
const COVERED = `document.querySelector('.restore-rows').getBoundingClientRect().bottom >
  document.querySelector('.restore-chosen').getBoundingClientRect().top`;

/** Returns the pixels between the end of the name, or its ellipsis, and what follows it. Runs in the page. */
const GAP = `(() => {
  const name = document.querySelector('.restore-chosen [data-kind=primary] bdi');
  const ends = (box) => (getComputedStyle(name).direction === 'rtl' ? box.left : box.right);
  const next = [name.previousElementSibling, name.nextElementSibling].map((part) => part.getBoundingClientRect());
  const nearest = (at) => Math.min(...next.flatMap(({ left, right }) => [Math.abs(left - at), Math.abs(right - at)]));
  const whole = name.textContent;
  if (name.scrollWidth <= name.clientWidth) return nearest(ends(name.getBoundingClientRect()));
  // The longest beginning that fits with an ellipsis is what the browser shows.
  const copy = document.createElement('bdi');
  copy.style.cssText = 'position: absolute; white-space: pre; visibility: hidden';
  name.parentElement.append(copy);
  let shown = 0;
  for (let length = 0; length < whole.length; length += 1) {
    copy.textContent = whole.slice(0, length) + '…';
    const { width } = copy.getBoundingClientRect();
    if (width <= name.getBoundingClientRect().width) shown = width;
  }
  copy.remove();
  const { left, right } = name.getBoundingClientRect();
  return nearest(getComputedStyle(name).direction === 'rtl' ? right - shown : left + shown);
})()`;

async function takePicture(page: Page, name: string): Promise<void> {
  if ((process.env['HOLDFAST_PICTURES'] ?? '') === '') return;
  await page.screenshot({ path: `test-results/appearances/restore-bar-${name.replaceAll(' ', '-')}.png` });
}
