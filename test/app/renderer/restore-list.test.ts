import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callsOf } from './keyboard.ts';
import { FOLDERS, POINTS, restoreAnswers, ROOT } from './restore-answers.ts';
import { PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const LOOKING: Answers = {
  'history.versions': () => ({ versions: [], completeness: { known: 0, total: 0, isListed: true, damaged: [] } }),
  'preview.open': () => ({ kind: 'none', preview: 'a'.repeat(32), size: 3, reason: 'unknown' }),
  'preview.close': () => ({}),
};

describe.skipIf(CHROMIUM === undefined)('the list of files in a restore point', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers?: Answers): Promise<ShownWindow> {
    const shown = await pages.show(PROTECTED, restoreAnswers({ 'shell.copy': () => ({}), ...LOOKING, ...answers }));
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    return shown;
  }

  /** Opens the root by keyboard. */
  async function openRoot(answers?: Answers): Promise<ShownWindow> {
    const shown = await open(answers);
    await rowOf(shown.page, 0).waitFor();
    await shown.page.getByRole('grid').focus();
    await shown.page.keyboard.press('Enter');
    await rowOf(shown.page, 7).waitFor();
    return shown;
  }

  test('keeps the focus when folders are opened and left, also an empty one', async () => {
    const { page } = await openRoot();
    expect(await focused(page)).toBe('grid');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty.').waitFor();
    expect(await focused(page)).toBe('grid');
    await page.keyboard.press('Backspace');
    await expect.poll(() => current(page)).toBe('Invoices');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await rowOf(page, 1).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => current(page)).toBe('Thesis');
    // A press on the path hands the focus on to the rows.
    await page.getByRole('button', { name: 'One folder up' }).click();
    await expect.poll(() => current(page)).toBe('Documents');
    expect(await focused(page)).toBe('grid');
    await page.keyboard.press('Enter');
    await rowOf(page, 7).waitFor();
    await page.getByRole('link', { name: 'All folders' }).click();
    await expect.poll(() => current(page)).toBe('Documents');
    expect(await focused(page)).toBe('grid');
  });

  test('selects the current row by a press, and opens it by a double press', async () => {
    const { page } = await openRoot();
    await rowOf(page, 2).click();
    await expect.poll(() => current(page)).toBe('Thesis');
    await page.getByText(/Nothing chosen\./).waitFor();
    await rowOf(page, 2).dblclick();
    await rowOf(page, 1).waitFor();
    await expect.poll(() => current(page)).toBe('figures');
  });

  test('opens a row that is only partly visible by a double press', async () => {
    const { page } = await openRoot();
    await page.setViewportSize({ width: 720, height: 520 });
    const grid = (await page.getByRole('grid').boundingBox())!;
    const rows = await page
      .locator('[role=row][data-index]')
      .evaluateAll((all) =>
        all.map(
          (row) => (row as unknown as { getBoundingClientRect: () => { top: number } }).getBoundingClientRect().top,
        ),
      );
    const bottom = grid.y + grid.height;
    const last = rows.findLastIndex((top) => top < bottom - 4);
    expect(rows[last]! + 36).toBeGreaterThan(bottom);
    await page.mouse.dblclick(grid.x + 150, (rows[last]! + bottom) / 2);
    await page.getByRole('dialog', { name: FOLDERS[ROOT]!.row(last).name }).waitFor();
  });

  test('chooses several rows with Shift and Control, by keys and pointer', async () => {
    const { page } = await openRoot();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await expect.poll(() => marked(page)).toEqual([1, 2, 3]);
    // The range shrinks again, and what was chosen before stays.
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => marked(page)).toEqual([1, 2]);
    await rowOf(page, 5).click({ modifiers: ['Control'] });
    await expect.poll(() => marked(page)).toEqual([1, 2, 5]);
    await rowOf(page, 7).click({ modifiers: ['Shift'] });
    await expect.poll(() => marked(page)).toEqual([1, 2, 5, 6, 7]);
    await page.getByText(/2 folders and 3 files chosen/).waitFor();
  });

  test('chooses the whole folder with Control+A, however large it is, and refuses a range that is too long', async () => {
    const shown = await openRoot();
    const { page } = shown;
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: '1,000,000 entries' }).waitFor();
    await page.keyboard.press('Shift+End');
    await page.getByText('More than 10,000 items: choose their folder instead').waitFor();
    await page.getByText(/Nothing chosen\./).waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText(/1 folder chosen/).waitFor();
    expect(await focused(page)).toBe('grid');
    await page.keyboard.press('Home');
    await expect.poll(async () => (await marked(page)).slice(0, 3)).toEqual([0, 1, 2]);
    await page.getByRole('link', { name: 'All folders' }).click();
    await rowOf(page, 0).waitFor();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Restore…' }).click();
    await expect.poll(() => callsOf(shown, 'restore.plan').at(-1)).toMatchObject({ paths: [ROOT] });
  });

  test('sorts by each column, and stays at the current entry', async () => {
    const rows = (by: string, isDescending: boolean) => {
      const { total, row } = FOLDERS[ROOT]!;
      const all = Array.from({ length: total }, (_, index) => row(index));
      const files = all.filter(({ type }) => type === 'file');
      files.sort((one, other) => (by === 'size' ? one.size - other.size : one.name < other.name ? -1 : 1));
      return [...all.filter(({ type }) => type !== 'file'), ...(isDescending ? files.toReversed() : files)];
    };
    const shown = await openRoot({
      'restore.open': ({ path, order }) => ({ listing: path === '' ? '' : `${order!.by} ${order!.isDescending}` }),
      'restore.rows': ({ listing }) => {
        const [by = '', isDescending] = listing.split(' ');
        const entries = listing === '' ? [FOLDERS['']!.row(0)] : rows(by, isDescending === 'true');
        return { entries, total: entries.length, isComplete: true, isSorted: true };
      },
      'restore.jump': ({ start }) => ({ row: rows('name', false).findIndex(({ name }) => name.startsWith(start)) }),
    });
    const { page } = shown;
    await page.keyboard.type('notes');
    await expect.poll(() => current(page)).toBe('notes.md');
    await page.getByRole('button', { name: 'Size' }).click();
    await expect.poll(() => nameAt(page, 3)).toBe('notes.md');
    await expect.poll(() => current(page)).toBe('notes.md');
    await page.getByRole('button', { name: 'Size' }).click();
    await expect.poll(() => nameAt(page, 7)).toBe('notes.md');
    await expect.poll(() => current(page)).toBe('notes.md');
    expect(await nameAt(page, 0)).toBe('Archive');
    const head = page.getByRole('columnheader', { name: 'Size' });
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    // The order stays in other folders.
    await page.getByRole('link', { name: 'All folders' }).click();
    await rowOf(page, 0).waitFor();
    expect(callsOf(shown, 'restore.open').at(-1)).toMatchObject({ order: { by: 'size', isDescending: true } });
    expect(await shown.faults()).toEqual([]);
  });

  test('sorts a folder that was slow to read as soon as it is complete', async () => {
    let isRead = false;
    let opened = 0;
    const { page } = await open({
      'restore.open': () => {
        opened += 1;
        return { listing: isRead ? 'sorted' : 'reading' };
      },
      'restore.rows': ({ listing }) => {
        const all = Array.from({ length: 8 }, (_, index) => FOLDERS[ROOT]!.row(index));
        const isSorted = listing === 'sorted';
        return { entries: isSorted ? all : all.toReversed(), total: 8, isComplete: isRead, isSorted };
      },
    });
    await expect.poll(() => nameAt(page, 0)).toBe('tax return.pdf');
    await rowOf(page, 0).click();
    isRead = true;
    await expect.poll(() => nameAt(page, 0)).toBe('Archive');
    await expect.poll(() => current(page)).toBe('tax return.pdf');
    expect(opened).toBe(2);
  });

  test.for([
    ['Linux x86_64', 'Control+A'],
    ['MacIntel', '⌘A'],
  ])('describes its keys on %s', async ([platform, keys]) => {
    const shown = await openRoot();
    const { page } = shown;
    const script = await page.addInitScript(
      `Object.defineProperty(navigator, 'platform', { get: () => '${platform}' })`,
    );
    onTestFinished(() => script.dispose());
    await page.reload();
    await page.getByRole('navigation').getByRole('button').nth(2).click();
    const described = `document.getElementById(document.querySelector('[role=grid]')?.getAttribute('aria-describedby'))?.textContent`;
    await expect.poll(() => page.evaluate(described)).toContain(`${keys} all items.`);
  });

  test('covers no row with the name that is typed', async () => {
    const { page } = await openRoot();
    await page.setViewportSize({ width: 720, height: 520 });
    for (const [typed, name] of [
      ['tax', 'tax return.pdf'],
      ['b', 'budget 2026.ods'],
    ] as const) {
      // The page itself looks, since what was typed vanishes after a second.
      const places = page.evaluate<{ bubble: number; row: number }>(`new Promise((resolve) => {
        const look = () => {
          const bubble = document.querySelector('.restore-typing');
          const row = document.querySelector('[role=row][data-current]');
          if (bubble && row?.querySelector('.restore-name').textContent === '${name}') {
            resolve({ bubble: bubble.getBoundingClientRect().bottom, row: row.getBoundingClientRect().top });
          } else requestAnimationFrame(look);
        };
        look();
      })`);
      await page.keyboard.type(typed);
      const { bubble, row } = await places;
      expect(row).toBeGreaterThanOrEqual(bubble);
      await page.locator('.restore-typing').waitFor({ state: 'detached' });
    }
  });

  test('offers what can be done with an entry, by pointer and by keys', async () => {
    const shown = await openRoot();
    const { page } = shown;
    await rowOf(page, 6).click({ button: 'right' });
    const menu = page.getByRole('menu', { name: 'Actions for “notes.md”' });
    await menu.waitFor();
    expect(await shown.faults()).toEqual([]);
    await menu.getByRole('menuitem', { name: 'Copy path' }).click();
    await expect.poll(() => callsOf(shown, 'shell.copy')).toEqual([{ text: `${ROOT}/notes.md` }]);
    await expect.poll(() => focused(page)).toBe('grid');
    await page.keyboard.press('Control+c');
    await expect.poll(() => callsOf(shown, 'shell.copy').length).toBe(2);

    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu', { name: 'Actions for “Thesis”' }).waitFor();
    await page.keyboard.press('Enter');
    await rowOf(page, 1).waitFor();
    await expect.poll(() => current(page)).toBe('figures');
    await expect.poll(() => focused(page)).toBe('grid');
  });

  test('restores one entry from its menu, and leaves the selection alone', async () => {
    const shown = await openRoot();
    const { page } = shown;
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await page.getByText(/1 file chosen/).waitFor();
    await rowOf(page, 6).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog.getByRole('region', { name: 'What' }).getByText('notes.md').waitFor();
    await expect
      .poll(() => callsOf(shown, 'restore.plan').at(-1))
      .toMatchObject({ at: Date.parse(POINTS[0]!.restorePoint), paths: [`${ROOT}/notes.md`] });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => marked(page)).toEqual([7]);
    await page.getByRole('button', { name: 'Restore…' }).click();
    await dialog.getByRole('region', { name: 'What' }).getByText('tax return.pdf').waitFor();
  });
});

function rowOf(page: Page, index: number): ReturnType<Page['locator']> {
  return page.locator(`[role=row][data-index="${index}"]`);
}

async function nameAt(page: Page, index: number): Promise<string | null> {
  const row = rowOf(page, index).locator('.restore-name');
  return (await row.count()) === 0 ? null : row.textContent();
}

function current(page: Page): Promise<string | null> {
  return page.evaluate(`(() => {
    const id = document.querySelector('[role=grid]').getAttribute('aria-activedescendant');
    return id && document.getElementById(id)?.querySelector('.restore-name')?.textContent;
  })()`);
}

/** Returns the role or the name of the element with the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`document.activeElement.getAttribute('role') ?? document.activeElement.localName`);
}

/** Returns the visible rows that are selected. */
function marked(page: Page): Promise<number[]> {
  return page.evaluate(
    `[...document.querySelectorAll('[role=row][aria-selected=true]')].map((row) => Number(row.dataset.index)).sort((a, b) => a - b)`,
  );
}
