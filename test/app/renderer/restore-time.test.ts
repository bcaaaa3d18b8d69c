import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Moment } from '../../../src/strings/time-formats.ts';
import type { ChangedEntry, TimelinePoint } from '../../../src/ipc/contract/restore/history.ts';
import type { RestorePoint } from '../../../src/model/restore-point.ts';
import { recentPoints } from '../../../src/renderer/features/restore/points/recent-points.ts';
import { clocksOf } from '../../../src/renderer/features/restore/points/point-times.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { FOLDERS, POINTS, restoreAnswers, ROOT, spanOf } from './restore-answers.ts';
import { BACKUP_DISK, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages, type Answers, type PageOptions, type ShownWindow } from './window-page.ts';

/** Changes at the restore points with these indexes, none at all others. */
const CHANGED: Readonly<Record<number, Partial<TimelinePoint>>> = {
  3: { added: 2, bytes: 5_000_000 },
  10: { changed: 1, removed: 4, bytes: 300 },
  11: { removed: 1 },
};
const TIMELINE: TimelinePoint[] = POINTS.slice(0, 200)
  .map(({ restorePoint }, index) =>
    Object.assign({ added: 0, changed: 0, removed: 0, bytes: 0, restorePoint }, CHANGED[index]),
  )
  .toReversed();
const GONE = [
  ['old plan.txt', 'file'],
  ['old photos', 'directory'],
].map(([name, kind]) =>
  Object.assign(spanOf(POINTS[30]!.restorePoint, POINTS[11]!.restorePoint), {
    path: `${ROOT}/${name}`,
    kind: kind as 'file' | 'directory',
    size: 700,
    modified: '2026-10-01T08:00:00.000Z',
    content: 'c',
  }),
);

const SUMS = { added: 1, changed: 2, removed: 0, bytesBefore: 10, bytesAfter: 40 };

function entryOf(folder: string): ChangedEntry {
  return folder === ''
    ? { path: ROOT, name: 'Documents', isFolder: true, state: 'within', sums: SUMS }
    : { path: `${ROOT}/notes.md`, name: 'notes.md', isFolder: false, state: 'changed', sums: SUMS };
}

test('writes seconds only where two restore points of one day have the same minute', () => {
  const formats = {
    clock: (time: Moment) => new Date(time).toTimeString().slice(0, 5),
    clockSeconds: (time: Moment) => new Date(time).toTimeString().slice(0, 8),
  };
  const points = [
    [24, 0],
    [23, 50],
    [23, 10],
    [22, 10],
  ].map(([day, second]) => ({
    restorePoint: '2091-04-05T06:07:08.009Z',
    madeAt: new Date(2026, 10, day, 12, 30, second).toISOString(),
    backupId: '',
    files: 1,
    bytes: 1,
  }));
  const clocks = [...clocksOf(points, formats).values()];
  expect(clocks).toEqual(['12:30', '12:30:50', '12:30:10', '12:30']);
});

test('offers the newest restore point, the last one before today, one of a week ago and the present one', () => {
  const at = (day: number, hour: number): RestorePoint => {
    const time = new Date(2026, 10, day, hour).toISOString();
    return { restorePoint: time, madeAt: time, backupId: '', files: 1, bytes: 1 };
  };
  const points = [at(24, 9), at(24, 7), at(23, 19), at(23, 7), at(19, 7), at(17, 22), at(17, 6), at(2, 8)];
  const offered = (present: number, all = points): readonly number[] =>
    recentPoints(all, all[present]!, new Date(2026, 10, 24, 10)).map((one) => all.indexOf(one));
  expect(offered(0)).toEqual([0, 2, 5]);
  expect(offered(4)).toEqual([0, 2, 4, 5]);
  expect(offered(0, points.slice(0, 2))).toEqual([0]);
  expect(offered(0, points.slice(2, 4))).toEqual([0]);
});

describe.skipIf(CHROMIUM === undefined)('a folder over time', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(options: PageOptions = {}, state = PROTECTED, answers: Answers = {}): Promise<ShownWindow> {
    const shown = await pages.show(
      state,
      restoreAnswers({
        'history.timeline': () => ({ points: TIMELINE }),
        'history.changed-folder': ({ folder, from, to }) => ({
          entries: [entryOf(folder)],
          total: 1,
          sums: SUMS,
          isCut: false,
          from,
          to,
          destination: BACKUP_DISK.id,
        }),
        'history.gone': ({ path }) => ({ entries: path === ROOT ? GONE : [] }),
        'history.versions': () => ({ versions: [], completeness: { known: 1, total: 1, isListed: true, damaged: [] } }),
        'preview.open': () => ({ kind: 'none', preview: 'a'.repeat(32), size: 3, reason: 'unknown' }),
        'preview.close': () => ({}),
        ...answers,
      }),
      options,
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    page.setDefaultTimeout(60_000);
    await page.getByRole('navigation').getByRole('button').nth(2).click();
    await page.locator('[role=row][data-index="0"]').dblclick();
    await page.locator('[role=row][data-index="7"]').waitFor();
    await page.locator('.time-strip').waitFor();
    return shown;
  }

  test('a list that contradicts what this computer made says so', async () => {
    const points = POINTS.slice(0, 5);
    const shown = await pages.show(
      PROTECTED,
      restoreAnswers({ 'restore.points': () => ({ points: [...points], missing: 2, moved: 1 }) }),
    );
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    const notice = shown.page.getByText(/2 restore points that this computer made are no longer listed here\./);
    await notice.waitFor();
  });

  test('a restore point after a clock that was ahead has the time when it was made', async () => {
    const [first, ...others] = POINTS.slice(0, 5);
    const late = { ...first!, restorePoint: '2091-04-05T06:07:08.009Z', madeAt: first!.restorePoint };
    const shown = await pages.show(
      PROTECTED,
      restoreAnswers({ 'restore.points': () => ({ points: [late, ...others] }) }),
    );
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    const button = shown.page.locator('.restore-when-text');
    await button.waitFor();
    expect(await button.innerText()).not.toContain('2091');
    await button.click();
    await shown.page.locator('.restore-point').first().waitFor();
    expect(await shown.page.locator('.restore-points').innerText()).not.toContain('2091');
    expect(await shown.page.locator('.restore-point').count()).toBeGreaterThan(1);
  });

  test('shows every bar, also in a small window', async () => {
    const points = TIMELINE.map(({ restorePoint }) => ({ restorePoint, added: 0, changed: 3, removed: 0, bytes: 0 }));
    const shown = await pages.show(
      PROTECTED,
      restoreAnswers({ 'history.timeline': () => ({ points }), 'history.gone': () => ({ entries: [] }) }),
      { width: 720, height: 520 },
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('navigation').getByRole('button').nth(2).click();
    const strip = await page.locator('.time-bars').boundingBox();
    const last = await page.locator('.time-bar').last().boundingBox();
    expect(await page.locator('.time-bar').count()).toBe(48);
    expect(last!.x + last!.width).toBeLessThanOrEqual(strip!.x + strip!.width + 0.5);
    const compare = await page.getByRole('button', { name: 'Compare…' }).boundingBox();
    expect(compare!.x).toBeGreaterThan(last!.x + last!.width);
  });

  test('bars, comparisons and what a folder had before have the times when restore points were made', async () => {
    const later = (time: string): string => new Date(Date.parse(time) + 65 * 365 * 86_400_000).toISOString();
    const shown = await open({}, PROTECTED, {
      'restore.points': () => ({
        points: POINTS.map((point) => Object.assign({}, point, { restorePoint: later(point.restorePoint) })),
      }),
      'history.timeline': () => ({
        points: TIMELINE.map((point) => Object.assign({}, point, { restorePoint: later(point.restorePoint) })),
      }),
      'history.gone': ({ path }) => ({
        entries:
          path === ROOT ? GONE.map((one) => Object.assign({}, one, { from: later(one.from), to: later(one.to) })) : [],
      }),
    });
    const { page } = shown;
    await page.locator('[data-gone]').first().waitFor();
    const bars = await Promise.all(
      (await page.locator('.time-bar').all()).map((bar) => bar.getAttribute('aria-label')),
    );
    expect(bars).toHaveLength(4);
    expect(bars.join()).not.toContain('2091');
    expect(await page.locator('body').innerText()).not.toContain('2091');
    await page.getByRole('button', { name: /^Compare/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.innerText()).not.toContain('2091');
  });

  const opened = (shown: ShownWindow): unknown =>
    (callsOf(shown, 'restore.open').at(-1) as { readonly restorePoint: string }).restorePoint;
  const at = (index: number): string => POINTS[index]!.restorePoint;

  test('steps over restore points in which it is the same, by keys and buttons, in the same folder', async () => {
    const shown = await open();
    const { page } = shown;
    await page.keyboard.type('notes');
    // A step ends the search for what is typed.
    await expect.poll(() => page.locator('[role=row][data-current] .restore-name').textContent()).toBe('notes.md');
    await page.keyboard.press('Alt+ArrowLeft');
    await expect.poll(() => opened(shown)).toBe(at(4));
    await page.getByText('In this folder: nothing changed').waitFor();
    await page.keyboard.press('[');
    await expect.poll(() => opened(shown)).toBe(at(11));
    await page.getByText('In this folder: 1 removed').waitFor();
    await page.getByRole('button', { name: 'Older restore point' }).click();
    await expect.poll(() => opened(shown)).toBe(at(12));
    // What is before the counted ones may be another folder.
    await page.getByRole('grid', { name: 'Files in this restore point' }).focus();
    await page.keyboard.press(']');
    await expect.poll(() => opened(shown)).toBe(at(11));
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => opened(shown)).toBe(at(10));
    await page.getByText('In this folder: 1 changed, 4 removed, 300 B').waitFor();
    await page.keyboard.press(']');
    await expect.poll(() => opened(shown)).toBe(at(3));
    await page.getByRole('button', { name: 'Newer restore point' }).click();
    await expect.poll(() => opened(shown)).toBe(at(0));
    expect(await page.getByRole('button', { name: 'Newer restore point' }).isDisabled()).toBe(true);
    // The folder and the row are the same.
    expect(callsOf(shown, 'restore.open').at(-1)).toMatchObject({ path: ROOT });
    await expect.poll(() => page.locator('[role=row][data-current] .restore-name').textContent()).toBe('notes.md');
  });

  test('shows the restore points with changes as a strip', async () => {
    const shown = await open();
    const { page } = shown;
    const strip = page.getByRole('listbox', { name: 'Restore points in which this folder changed, oldest first' });
    expect(await strip.getByRole('option').count()).toBe(4);
    expect(await strip.getByRole('option').nth(2).getAttribute('aria-label')).toMatch(/: 2 added, 5\sMB$/);
    await strip.getByRole('option').nth(1).click();
    await expect.poll(() => opened(shown)).toBe(at(10));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => opened(shown)).toBe(at(3));
    expect(await shown.faults()).toEqual([]);
  });

  test('shows what is gone behind the rest, and restores it from its last restore point', async () => {
    const shown = await open();
    const { page } = shown;
    await page.getByText('8 entries · 2 deleted before').waitFor();
    const row = page.getByRole('row', { name: /^old plan\.txt/ });
    await row.scrollIntoViewIfNeeded();
    const struck = "getComputedStyle(document.querySelector('[data-gone] .restore-name')).textDecorationLine";
    expect(await page.evaluate(struck)).toBe('line-through');
    expect(await row.locator('.ui-tick').count()).toBe(0);
    await row.click({ modifiers: ['Control'] });
    await page.getByText(/Nothing chosen\./).waitFor();
    await row.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Restore…' }).click();
    await expect
      .poll(() => callsOf(shown, 'restore.plan').at(-1))
      .toMatchObject({ at: Date.parse(at(11)), paths: [`${ROOT}/old plan.txt`] });
    await page.keyboard.press('Escape');
    await page.getByRole('grid', { name: 'Files in this restore point' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => callsOf(shown, 'preview.open').at(-1))
      .toMatchObject({ file: { restorePoint: at(11), path: `${ROOT}/old plan.txt` } });
    await page.keyboard.press('Escape');
    // A folder that is gone opens at the time of its last restore point.
    await page.getByRole('row', { name: /^old photos/ }).dblclick();
    await expect
      .poll(() => callsOf(shown, 'restore.open').some((one) => (one as { path: string }).path === `${ROOT}/old photos`))
      .toBe(true);
  });

  test('compares any two restore points as a tree with counts', async () => {
    const shown = await open();
    const { page } = shown;
    await page.getByRole('button', { name: 'Compare…' }).click();
    const dialog = page.getByRole('dialog', { name: 'What changed between two restore points' });
    await dialog.getByRole('status').getByText('1 added, 2 changed').waitFor();
    const reference = { set: 'Documents', device: 'dev_1', first: 0, count: 200 };
    expect(callsOf(shown, 'history.changed-folder')).toEqual([{ ...reference, folder: '', from: at(1), to: at(0) }]);
    await dialog.getByRole('treeitem', { name: 'Documents 1 added, 2 changed' }).click();
    await dialog.getByRole('treeitem', { name: 'notes.md , changed 10 B → 40 B' }).waitFor();
    expect(callsOf(shown, 'history.changed-folder').at(-1)).toEqual({
      ...reference,
      destination: BACKUP_DISK.id,
      folder: ROOT,
      from: at(1),
      to: at(0),
    });
    expect(await shown.faults()).toEqual([]);
    // Whichever is chosen first, the earlier one is compared with the later one.
    const choose = async (label: string, index: number): Promise<void> => {
      await dialog.getByRole('button', { name: new RegExp(`^${label} `) }).click();
      await page.locator('.ui-option').nth(index).click();
    };
    await choose('To', 40);
    await expect.poll(() => callsOf(shown, 'history.changed-folder').at(-1)).toMatchObject({ from: at(40), to: at(1) });
    await choose('From', 40);
    await dialog.getByText('Choose two different restore points.').waitFor();
    await page.setViewportSize({ width: 720, height: 520 });
    expect(await shown.overflow()).toBe(0);
    if (process.env['HOLDFAST_LOOKS'] !== undefined) {
      await choose('From', 60);
      await dialog.getByRole('treeitem').first().click();
      await page.screenshot({ path: `${process.env['HOLDFAST_LOOKS']}/compare.png` });
    }
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const shown = await open(look, inLanguage(PROTECTED, look.language));
    const names = Array.from({ length: FOLDERS[ROOT]!.total }, (_, index) => FOLDERS[ROOT]!.row(index).name);
    const values = [...names, 'old plan.txt', 'old photos', 'Documents', 'Anna’s laptop', /\/home\/anna[^\n\]]*/];
    await expectSound(shown, look, values);
    if (process.env['HOLDFAST_LOOKS'] !== undefined) {
      await shown.page.screenshot({
        path: `${process.env['HOLDFAST_LOOKS']}/time-${look.width}-${look.colorScheme}.png`,
      });
    }
  });
});
