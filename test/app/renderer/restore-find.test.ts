import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { HistoryMatch } from '../../../src/ipc/contract/restore/history.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { POINTS, restoreAnswers, ROOT, spanOf } from './restore-answers.ts';
import { BACKUP_DISK, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages, type Answers, type PageOptions, type ShownWindow } from './window-page.ts';

const OLDEST = POINTS.at(-1)!.restorePoint;
const NEWEST = POINTS[0]!.restorePoint;

function version(modified: string, size: number, from = OLDEST, to = NEWEST): HistoryMatch['versions'][number] {
  return {
    kind: 'file',
    size,
    modified,
    content: `${modified} ${size}`,
    ...spanOf(from, to),
    destinations: [BACKUP_DISK.id],
  };
}

const MATCHES: readonly HistoryMatch[] = [
  {
    path: `${ROOT}/budget 2026.ods`,
    set: 'Documents',
    spans: [spanOf(OLDEST, NEWEST)],
    versions: [
      version('2026-11-01T08:00:00.000Z', 40_000, OLDEST, POINTS[1]!.restorePoint),
      version('2026-11-20T09:30:00.000Z', 48_112, NEWEST),
    ],
    isDeleted: false,
  },
  {
    path: `${ROOT}/Archive/budget 2019, the final version as it was sent to the tax adviser in the end.ods`,
    set: 'Documents',
    spans: [spanOf(OLDEST, POINTS[1]!.restorePoint)],
    versions: [version('2019-03-01T08:00:00.000Z', 12_000, OLDEST, POINTS[1]!.restorePoint)],
    isDeleted: true,
  },
];
/** Backed up for the last time by a run after a clock that was ahead. */
const LATE: HistoryMatch = {
  ...MATCHES[1]!,
  versions: MATCHES[1]!.versions.map((one) => Object.assign({}, one, { to: '2091-04-05T06:07:08.009Z' })),
};
const COMPLETE = { known: 5, total: 5, isListed: true, damaged: [] };

describe.skipIf(CHROMIUM === undefined)('finding a file in all backups', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers: Answers, state: AppState = PROTECTED, options: PageOptions = {}): Promise<ShownWindow> {
    // The disk has what was not deleted.
    const onDisk: Answers = {
      'restore.on-disk': ({ paths }) => ({
        found: paths
          .filter((path) => path !== MATCHES[1]!.path)
          .map((path) => ({ path, kind: 'file' as const, size: 12, modified: OLDEST })),
      }),
    };
    const shown = await pages.show(state, restoreAnswers({ ...onDisk, ...answers }), options);
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    return shown;
  }

  test('lists what has the name, and restores its newest version with three presses', async () => {
    const shown = await open({ 'history.find': () => ({ matches: [...MATCHES], completeness: COMPLETE }) });
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    await page.getByText('2 results').waitFor();
    expect(callsOf(shown, 'history.find')).toEqual([{ pattern: 'budget', count: 100 }]);
    await page
      .getByRole('button', { name: /^Restore “budget 2026\.ods”/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('budget 2026.ods').waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await expect
      .poll(() => callsOf(shown, 'restore.start'))
      .toMatchObject([{ set: 'Documents', at: Date.parse(NEWEST), paths: [`${ROOT}/budget 2026.ods`], to: null }]);
  });

  test('says when the last restore point was made that has a file, also after a clock that was ahead', async () => {
    const shown = await open({ 'history.find': () => ({ matches: [LATE], completeness: COMPLETE }) });
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    await page.locator('.found-deleted').waitFor();
    expect(await page.locator('.found-deleted').innerText()).not.toContain('2091');
  });

  test('restores an earlier version, and a deleted file from the last restore point that has it', async () => {
    const shown = await open({
      'history.find': () => ({ matches: [...MATCHES], completeness: COMPLETE }),
      'history.versions': () => ({
        versions: MATCHES[0]!.versions.map((one) => Object.assign({ points: 1 }, one)),
        completeness: COMPLETE,
      }),
      'preview.open': () => ({ kind: 'none', preview: 'a'.repeat(32), size: 3, reason: 'unknown' }),
      'preview.close': () => ({}),
      'restore.find': ({ paths }) => ({
        entries: paths.map((path) => ({ path, name: path, type: 'file' as const, size: 1, modified: OLDEST })),
      }),
    });
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    await page.getByRole('button', { name: '“budget 2026.ods”: look at 2 versions' }).click();
    await page.getByRole('option').filter({ hasText: '40 kB' }).click();
    await page.getByRole('button', { name: 'Restore this version…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Start restoring' }).waitFor();
    await expect
      .poll(() => callsOf(shown, 'restore.plan').at(-1))
      .toMatchObject({ at: Date.parse(POINTS[1]!.restorePoint) });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    // What was looked at is there again, and then what was found.
    await page.getByRole('option').filter({ hasText: '40 kB' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/^Deleted\. Last backed up/).waitFor();
    await page.getByRole('button', { name: /^Restore “budget 2019/ }).click();
    await expect
      .poll(() => callsOf(shown, 'restore.plan').at(-1))
      .toMatchObject({ at: Date.parse(POINTS[1]!.restorePoint), paths: [MATCHES[1]!.path] });
  });

  test('reads further pages, and says what is not shown or not searched yet', async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...MATCHES[0]!, path: `${ROOT}/${index} budget` }));
    const shown = await open({
      'history.find': ({ after = 0, count }) => ({
        matches: many.slice(after, after + Math.min(60, count)),
        next: after + 60,
        completeness: { ...COMPLETE, known: 2 },
      }),
    });
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    await page.getByText(/100 results · Only the first 100 are shown: type more of the name\./).waitFor();
    await page.getByText(/2 of 5 restore points have been searched so far\./).waitFor();
    expect(callsOf(shown, 'history.find').slice(0, 2)).toEqual([
      { pattern: 'budget', count: 100 },
      { pattern: 'budget', count: 40, after: 60 },
    ]);
    await page.keyboard.press('Escape');
    await page.getByText(/Nothing chosen\./).waitFor();
  });

  test('restricts by kind, size, time and to what was deleted', async () => {
    const shown = await open({ 'history.find': () => ({ matches: [...MATCHES], completeness: COMPLETE }) });
    const { page } = shown;
    const choose = async (filter: string, option: string): Promise<void> => {
      await page.getByRole('button', { name: new RegExp(` ${filter}$`) }).click();
      await page.getByRole('option', { name: option }).click();
    };
    const last = (): unknown => callsOf(shown, 'history.find').at(-1);
    await page.getByRole('searchbox').fill('budget');
    await page.getByText('2 results').waitFor();
    await choose('Any kind', 'Files');
    await expect.poll(last).toEqual({ pattern: 'budget', count: 100, kind: 'file' });
    await choose('Any size', '1 to 100 MB');
    await expect.poll(last).toMatchObject({ kind: 'file', minimumSize: 1e6, maximumSize: 1e8 });
    await choose('Changed at any time', 'Changed in the last 30 days');
    await expect.poll(last).toMatchObject({ modifiedFrom: expect.any(Number) });
    const { modifiedFrom } = last() as { readonly modifiedFrom: number };
    const now = await page.evaluate<number>('Date.now()');
    expect(Math.round((now - modifiedFrom) / 86_400_000)).toBe(30);
    await choose('Changed in the last 30 days', 'Changed more than a year ago');
    await expect.poll(last).toMatchObject({ modifiedTo: expect.any(Number) });
    expect(last()).not.toHaveProperty('modifiedFrom');
    await page.getByText('Deleted only').click();
    await expect.poll(last).toMatchObject({ isDeletedOnly: true });
    // They stay for the next search.
    await page.getByRole('searchbox').fill('plan');
    await expect.poll(last).toMatchObject({ pattern: 'plan', kind: 'file', isDeletedOnly: true });
  });

  test('begins on Home', async () => {
    const shown = await open({ 'history.find': () => ({ matches: [...MATCHES], completeness: COMPLETE }) });
    const { page } = shown;
    await page.keyboard.press('Control+1');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('budget');
    // Without Enter, with the state above it.
    await page.getByText('2 results').waitFor();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Restore', level: 1 }).waitFor();
    await page.getByText('2 results').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('budget');
  });

  test('restores from Home what was found there', async () => {
    const shown = await open({ 'history.find': () => ({ matches: [...MATCHES], completeness: COMPLETE }) });
    const { page } = shown;
    await page.keyboard.press('Control+1');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('budget');
    await page
      .getByRole('button', { name: /^Restore “budget 2026\.ods”/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('budget 2026.ods').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('2 results').waitFor();
  });

  test('says what the disk has lost since the last backup, also among what was deleted', async () => {
    const shown = await open({
      'history.find': ({ isDeletedOnly }) => ({
        matches: isDeletedOnly === true ? MATCHES.slice(1) : [...MATCHES],
        completeness: COMPLETE,
      }),
      'restore.on-disk': () => ({ found: [] }),
    });
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    const lost = page.getByRole('listitem').filter({ hasText: 'budget 2026.ods' });
    await lost.getByText(/Not on this computer now\. Last backed up/).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'tax adviser' })
      .getByText(/Deleted\./)
      .waitFor();
    expect(callsOf(shown, 'restore.on-disk')).toEqual([{ paths: MATCHES.map(({ path }) => path) }]);
    await page.getByText('Deleted only').click();
    await expect.poll(() => callsOf(shown, 'history.find').at(-1)).toMatchObject({ isDeletedOnly: true });
    await page.getByText('2 results').waitFor();
    await lost.getByText(/Not on this computer now\./).waitFor();
  });

  test('finds what is typed anywhere on Home, and leaves keys to the controls that use them', async () => {
    const shown = await pages.show(PROTECTED);
    onTestFinished(() => shown.close());
    const { page } = shown;
    const field = page.getByRole('searchbox', { name: 'Find in all backups' });
    await field.waitFor();
    await page.getByRole('navigation').getByRole('button', { name: 'Home Protected' }).click();
    await page.keyboard.type('lost');
    expect(await field.inputValue()).toBe('lost');
    await field.fill('');
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('menu').waitFor();
    await page.keyboard.type('u');
    expect(await field.inputValue()).toBe('');
  });

  test('does not call deleted what has been restored since', async () => {
    const [, deleted] = MATCHES;
    const shown = await open({
      'history.find': ({ isDeletedOnly }) => ({
        matches: isDeletedOnly === true ? [deleted!] : [...MATCHES],
        completeness: COMPLETE,
      }),
      'restore.on-disk': ({ paths }) => ({
        found: paths.map((path) => ({ path, kind: 'file' as const, size: 1, modified: OLDEST })),
      }),
    });
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    await page.getByRole('listitem').filter({ hasText: 'tax adviser' }).waitFor();
    expect(await page.getByText(/Deleted\./).count()).toBe(0);
    await page.getByText('Deleted only').click();
    await page
      .getByText(/No results/)
      .or(page.getByText(/Nothing/))
      .first()
      .waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'tax adviser' }).count()).toBe(0);
  });

  test('shows the whole name of the set beside a long path', async () => {
    const path = `/home/anna/${'a folder with a long name/'.repeat(8)}budget.ods`;
    const shown = await open(
      {
        'history.find': () => ({ matches: [{ ...MATCHES[0]!, path }], completeness: COMPLETE }),
        'restore.on-disk': ({ paths }) => ({
          found: paths.map((one) => ({ path: one, kind: 'file' as const, size: 1, modified: OLDEST })),
        }),
      },
      PROTECTED,
      { width: 720, height: 520 },
    );
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    const set = page.locator('.found-set');
    await set.waitFor();
    expect(
      await page.evaluate<boolean>(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.found-set'))",
      ),
    ).toBe(true);
    // The end of the path tells files of one name apart, so its beginning is cut.
    const isEndShown = `(() => {
      const shown = document.querySelector('.found-folder');
      const text = shown.querySelector('bdi').firstChild;
      const range = document.createRange();
      range.setStart(text, text.length - 4);
      range.setEnd(text, text.length);
      const [end, box] = [range.getBoundingClientRect(), shown.getBoundingClientRect()];
      return shown.scrollWidth > shown.clientWidth && end.left >= box.left && end.right <= box.right + 1;
    })()`;
    expect(await page.evaluate<boolean>(isEndShown)).toBe(true);
    expect(await page.getByText(/Not on this computer/).count()).toBe(0);
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const shown = await open(
      {
        'history.find': ({ pattern }) => ({
          matches: pattern === 'x' ? [] : [...MATCHES],
          completeness: { ...COMPLETE, known: 3 },
        }),
      },
      inLanguage(PROTECTED, look.language),
      look,
    );
    const { page } = shown;
    await page.getByRole('searchbox').fill('budget');
    const values = ['Documents', 'Anna’s laptop', 'budget', /budget[^\n\]]*ods/, /\/home\/anna[^\n\]]*/];
    await expectSound(shown, look, values);
    if (process.env['HOLDFAST_LOOKS'] !== undefined) {
      await page.screenshot({ path: `${process.env['HOLDFAST_LOOKS']}/find-${look.width}-${look.colorScheme}.png` });
    }
    await page.getByRole('searchbox').fill('x');
    await page.locator('.ui-empty').waitFor();
    await expectSound(shown, look, values);
  });
});
