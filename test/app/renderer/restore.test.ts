import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { BrowsedEntry } from '../../../src/ipc/contract/restore/restore.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { expectSound, expectSoundEverywhere, inLanguage, APPEARANCES } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { FOLDERS, POINTS, REPORT, RESTORING, restoreAnswers, ROOT } from './restore-answers.ts';
import { BACKUP_DISK, BUCKET, NOW, PROTECTED, SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

/** Data in the answers, and texts of the calendar in the browser's language. */
const VALUES = [
  /\bToday,/,
  /\bselected\b/,
  'Next',
  'Previous',
  /\b(First|Last) available date\b/,
  'Documents',
  'Archive',
  'Invoices',
  'Thesis',
  'Photos',
  'Anna’s laptop',
  'Old PC',
  'budget 2026.ods',
  'letter to the landlord.odt',
  'notes.md',
  'tax return.pdf',
  'microscope overview of the northern field station, all series.tiff',
  /\/home\/anna[^\n\]]*/,
  /[…/][^\n\]]*\.tiff/,
];

const FAILED = {
  run: {
    id: 21,
    kind: 'restore',
    destination: BACKUP_DISK.id,
    set: 'Documents',
    outcome: 'warnings',
    startedAt: NOW,
    endedAt: NOW,
    warnings: 0,
  },
  steps: [],
  report: {
    ...REPORT,
    failures: Array.from({ length: 3_000 }, (_, index) => ({
      path: `${ROOT}/lost-${index}.raw`,
      reason: 'chunk_corrupt',
    })),
    failuresTotal: 3_000,
    filesFailed: 3_000,
  },
} as const;

describe.skipIf(CHROMIUM === undefined)('restore view', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers?: Answers, state: AppState = PROTECTED, options: PageOptions = {}): Promise<ShownWindow> {
    const shown = await pages.show(state, restoreAnswers(answers), options);
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    return shown;
  }

  test('shows the restore points of the nearest destination, or of the one that is chosen', async () => {
    const shown = await open({}, SEVERAL);
    const { page } = shown;
    await page.getByRole('button', { name: /Nearest destination$/ }).click();
    await page.getByRole('option', { name: BUCKET.name }).click();
    const destination = BUCKET.id;
    await expect.poll(() => callsOf(shown, 'restore.sources')).toEqual([{}, { destination }]);
    await expect
      .poll(() => callsOf(shown, 'restore.points').at(-1))
      .toEqual({ set: 'Documents', device: 'dev_1', destination });
    await expect.poll(() => callsOf(shown, 'restore.open').at(-1)).toMatchObject({ set: 'Documents', destination });
    await expectSound(
      shown,
      { width: 1000, height: 700, colorScheme: 'light', language: 'en', isExamined: true },
      VALUES,
    );
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await expect.poll(() => callsOf(shown, 'restore.plan').at(-1)).toMatchObject({ destination });
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const state = inLanguage(PROTECTED, look.language);
    const shown = await open({}, state, look);
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await choose(page, 1);
    await choose(page, 4);
    await expectSound(shown, look, VALUES);
    await page.locator('.restore-when').click();
    await page.getByRole('grid').nth(0).waitFor();
    await expectSound(shown, look, VALUES);
    await page.keyboard.press('Escape');
    await page.locator('.restore-chosen button').last().click();
    await page.locator('.restore-plan strong').waitFor();
    await expectSound(shown, look, VALUES);
    await page.getByRole('dialog').locator('.ui-card').nth(1).click();
    await page.locator('.restore-target button').click();
    await page.locator('.restore-plan strong').waitFor();
    await expectSound(shown, look, VALUES);
    await page.locator('.ui-dialog-foot button').last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await shown.setState(inLanguage(RESTORING, look.language));
    await page.getByRole('progressbar').waitFor();
    await expectSound(shown, look, VALUES);
    await shown.setState(state);
    await page.locator('.ui-notice[data-tone=good]').waitFor();
    await expectSound(shown, look, VALUES);
  });

  test('explains an empty list and a failed request', async () => {
    const none = await open({ 'restore.sources': () => ({ sources: [] }) });
    await none.page.getByText('Nothing to restore yet').waitFor();

    let tries = 0;
    const failing = await open({
      'restore.sources': () => {
        tries += 1;
        if (tries === 1) throw new HoldfastError('internal');
        return { sources: [{ set: 'Documents', deviceName: 'Anna’s laptop' }] };
      },
    });
    await failing.page.getByRole('button', { name: 'Try again' }).click();
    await rowOf(failing.page, 0).waitFor();
  });

  test('shows the right ones of a million rows, and draws few', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await page.getByRole('row', { name: /^Archive/ }).dblclick();
    await page.getByRole('status').filter({ hasText: '1,000,000 entries' }).waitFor();
    const grid = page.getByRole('grid');
    await rowOf(page, 20).waitFor();

    // Drags the scroll bar to the middle and continues with the wheel.
    await scroll(page, '.restore-rows', 0.5);
    await expect.poll(() => topRow(page)).toBeGreaterThan(400_000);
    await expect.poll(() => topRow(page)).toBeLessThan(600_000);
    const middle = await topRow(page);
    await expect.poll(() => nameAt(page, middle + 3)).toBe(`entry-${String(middle + 3).padStart(7, '0')}`);
    await grid.hover();
    await page.mouse.wheel(0, 36 * 5);
    await expect.poll(() => topRow(page)).toBe(middle + 5);
    await expect.poll(() => rowOf(page, middle + 8).count()).toBe(1);

    await scroll(page, '.restore-rows', 1);
    await expect.poll(() => nameAt(page, 999_999)).toBe('entry-0999999');
    await scroll(page, '.restore-rows', 0);
    await expect.poll(() => nameAt(page, 0)).toBe('entry-0000000');

    await grid.focus();
    await page.keyboard.press('End');
    await expect.poll(() => current(page)).toBe('entry-0999999');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    await expect.poll(() => current(page)).toBe('entry-0000000');
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    expect(await page.locator('*').count()).toBeLessThan(1_500);
    const asked = shown.calls
      .filter(({ name }) => name === 'restore.rows')
      .map(({ input }) => input as { count: number });
    expect(Math.max(...asked.map(({ count }) => count))).toBeLessThanOrEqual(500);
    expect(asked.length).toBeLessThan(60);
  });

  test('reaches the end of a million rows when the bar is dragged before a step of the wheel has come to rest', async () => {
    const { page } = await open();
    await rowOf(page, 0).dblclick();
    await page.getByRole('row', { name: /^Archive/ }).dblclick();
    await rowOf(page, 20).waitFor();
    await scroll(page, '.restore-rows', 0.5);
    await expect.poll(() => topRow(page)).toBeGreaterThan(400_000);
    // The timer that ends the step fires after the drag, and before the drag's event.
    await page.evaluate(`(async () => {
      const element = document.querySelector('.restore-rows');
      const own = globalThis.setTimeout;
      let endStep;
      globalThis.setTimeout = (run) => void (endStep = run);
      const stepped = new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true }));
      element.scrollTop += 36 * 5;
      await stepped;
      globalThis.setTimeout = own;
      element.scrollTop = element.scrollHeight;
      endStep();
    })()`);
    await expect.poll(() => nameAt(page, 999_999)).toBe('entry-0999999');
  });

  test('moves to a name that is typed', async () => {
    const { page } = await open();
    await rowOf(page, 0).dblclick();
    const grid = page.getByRole('grid');
    await rowOf(page, 7).waitFor();
    await grid.focus();
    await page.keyboard.type('tax r');
    await expect.poll(() => current(page)).toBe('tax return.pdf');
    await page.locator('.restore-typing').waitFor({ state: 'detached' });
    await page.keyboard.type('zz');
    await page.getByText('Nothing here begins with “zz”').waitFor();
    expect(await current(page)).toBe('tax return.pdf');
  });

  test('keeps the selection in other folders, and restores it as planned', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await choose(page, 3);
    await page.getByRole('row', { name: /^Thesis/ }).dblclick();
    await rowOf(page, 1).waitFor();
    await choose(page, 0);
    await page.getByText('1 folder and 1 file chosen (10 MB)').waitFor();
    await page.getByRole('link', { name: 'Documents' }).click();
    await rowOf(page, 7).waitFor();
    expect(await rowOf(page, 2).locator('.ui-tick').getAttribute('data-state')).toBe('partly');
    expect(await rowOf(page, 3).getAttribute('aria-selected')).toBe('true');
    // Another view in between loses nothing.
    await page.keyboard.press('Control+1');
    await page.keyboard.press('Control+3');
    await page.getByText('1 folder and 1 file chosen (10 MB)').waitFor();

    await page.getByRole('button', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('budget 2026.ods').waitFor();
    await dialog.getByText('Another folder').click();
    await expect(dialog.getByRole('button', { name: 'Start restoring' }).isDisabled()).resolves.toBe(true);
    await dialog.getByRole('button', { name: 'Choose folder…' }).click();
    await dialog.getByText('1,204 files, 3.4 GB will be written.').waitFor();
    await dialog.getByText('2 items already exist: the restored ones get new names.').waitFor();
    await dialog.getByText('Replace it').click();
    await dialog.getByText('2 items already exist and will be replaced.').waitFor();
    expect(shown.calls.some(({ name }) => name === 'restore.start')).toBe(false);
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByText('5 files (420 MB) restored to /home/anna/Restored.').waitFor();
    expect(shown.calls.find(({ name }) => name === 'restore.start')?.input).toEqual({
      set: 'Documents',
      device: 'dev_1',
      at: Date.parse(POINTS[0]!.restorePoint),
      paths: [`${ROOT}/budget 2026.ods`, `${ROOT}/Thesis/figures`],
      to: '/home/anna/Restored',
      conflict: 'overwrite',
    });
    await page.getByRole('button', { name: 'Show in file manager' }).click();
    await expect
      .poll(() => shown.calls.at(-1))
      .toEqual({ name: 'shell.show-path', input: { path: '/home/anna/Restored' } });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Nothing chosen. Choose files and folders, or restore everything.').waitFor();
  });

  test('puts files back where they were, and names what it keeps', async () => {
    const keptIn = '/home/anna/Before restore 2026-11-21 12.00.00';
    const report = { ...REPORT, to: null, filesUnchanged: 7, keptIn: [keptIn] };
    const shown = await open({
      'restore.plan': () => ({
        files: 5,
        bytes: 420_000_000,
        bytesToFetch: 12_000_000,
        unchanged: 7,
        conflicts: [`${ROOT}/notes.md`, `${ROOT}/tax return.pdf`],
        conflictsNewer: 1,
        freeBytes: 812_000_000_000,
      }),
      'activity.run': (input) => ({ ...(restoreAnswers()['activity.run']!(input) as object), report }) as never,
    });
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 4).waitFor();
    await choose(page, 4);
    await page.getByRole('button', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 files, 420 MB will be written.').waitFor();
    await dialog.getByText('5 files, 420 MB will be written. 12 MB to download. 812 GB free.').waitFor();
    await dialog.getByText('7 files are the same already.').waitFor();
    await dialog.getByText(/2 items have changed: the restored ones get new names\. One of them was/).waitFor();
    await dialog.getByText('Replace it').click();
    await dialog.getByText(/2 items have changed and will be replaced\. Their current versions are kept\./).waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByText('5 files (420 MB) restored to their original places.').waitFor();
    await page.getByText('7 files were the same already.').waitFor();
    await page.getByText(`What was replaced or moved is in ${keptIn}.`).waitFor();
    expect(callsOf(shown, 'restore.start')).toMatchObject([{ to: null, conflict: 'overwrite' }]);
    await page.getByRole('button', { name: 'Show these items' }).click();
    await expect.poll(() => shown.calls.at(-1)).toEqual({ name: 'shell.show-path', input: { path: keptIn } });
  });

  test('makes a folder exactly as it was, and says what moves away', async () => {
    const surplus = {
      files: 3,
      bytes: 2_000_000,
      paths: [`${ROOT}/Thesis/new.tex`, `${ROOT}/Thesis/draft`],
      entries: 2,
    };
    const shown = await open({
      'restore.plan': ({ exact }) => ({
        files: 5,
        bytes: 420_000_000,
        conflicts: [`${ROOT}/Thesis/thesis.tex`],
        conflictsTotal: 1,
        ...(exact === true ? { surplus } : {}),
        freeBytes: 812_000_000_000,
      }),
    });
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 4).waitFor();
    await choose(page, 4);
    await page.getByRole('button', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 files, 420 MB will be written.').waitFor();
    expect(await dialog.getByText(/exactly as it was/).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 2);
    await page.getByRole('button', { name: 'Restore…' }).click();
    await dialog.getByText('Make the folder exactly as it was').click();
    await dialog.getByText('3 files (2 MB) did not exist then and move to a folder beside.').click();
    await dialog.getByText(`${ROOT}/Thesis/new.tex`).waitFor();
    await expectSoundEverywhere(shown, PROTECTED, [...VALUES, 'new.tex', 'draft']);
    await shown.setState(PROTECTED);
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await expect
      .poll(() => callsOf(shown, 'restore.start'))
      .toMatchObject([{ to: null, conflict: 'overwrite', exact: true }]);
  });

  test('suggests a folder for the files of another computer', async () => {
    const { page } = await open({
      'restore.sources': () => ({ sources: [{ set: 'Documents', device: 'dev_2', deviceName: 'Old PC' }] }),
    });
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByRole('button', { name: 'Choose folder…' }).waitFor();
  });

  test('warns of missing space, and shows a refusal of the agent', async () => {
    const { page } = await open({
      'restore.plan': () => ({ files: 2, bytes: 5_000_000_000, conflicts: [], freeBytes: 3_000_000_000 }),
      'restore.start': () => {
        throw new HoldfastError('target_unwritable', { target: '/home/anna/Restored' });
      },
    });
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByText(/There is not enough space: 2\sGB more needed\./).waitFor();
    await page.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });

  test('lists thousands of failures, and retries them without touching the rest', async () => {
    const shown = await open({ 'activity.run': () => FAILED as never });
    const { page } = shown;
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('heading', { name: '3,000 files could not be restored' }).waitFor();
    await page.getByText(`${ROOT}/lost-0.raw`).waitFor();
    expect(await page.locator('.restore-failure').count()).toBeLessThan(60);
    await scroll(page, '.restore-failures', 1);
    await page.getByText(`${ROOT}/lost-2999.raw`).waitFor();
    expect(await shown.faults()).toEqual([]);
    await page.getByRole('button', { name: 'Try those again' }).click();
    await expect.poll(() => shown.calls.filter(({ name }) => name === 'restore.start').length).toBe(2);
    const [first, second] = shown.calls.filter(({ name }) => name === 'restore.start');
    expect(second!.input).toEqual({ ...(first!.input as object), conflict: 'skip' });
  });

  test('selects another restore point by steps and by calendar', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await page.getByRole('button', { name: 'Older restore point' }).click();
    await expect.poll(() => lastOpened(shown)).toEqual({ restorePoint: POINTS[1]!.restorePoint, path: ROOT });
    expect(await page.getByRole('button', { name: 'Newer restore point' }).isDisabled()).toBe(false);

    await page.getByRole('button', { name: /^Restore point:/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore point' });
    await dialog.getByRole('button', { name: 'Previous month' }).click();
    // The last day of that month with restore points.
    const day = dialog.locator('.ui-calendar-day:not([data-unavailable]):not([data-outside-month])').last();
    await day.click();
    await dialog.getByRole('option').first().click();
    await dialog.waitFor({ state: 'detached' });
    const { restorePoint } = lastOpened(shown);
    expect(new Date(restorePoint).getMonth()).toBe(
      new Date(NOW - 12 * 60_000).getMonth() === 0 ? 11 : new Date(NOW - 12 * 60_000).getMonth() - 1,
    );
    expect(POINTS.map((point) => point.restorePoint)).toContain(restorePoint);
  });

  test('tells restore points of the same minute apart', async () => {
    const seconds = [42, 7, -55].map((second) => new Date(Date.parse('2026-11-21T11:48:00.000Z') + second * 1000));
    const points = seconds.map((time, index) => {
      const at = time.toISOString();
      return Object.assign({}, POINTS[index]!, { restorePoint: at, madeAt: at });
    });
    const { page } = await open({ 'restore.points': () => ({ points }) });
    const button = page.getByRole('button', { name: /^Restore point:/ });
    await expect.poll(() => button.textContent()).toMatch(/:48:42/);
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Restore point' });
    await expect
      .poll(() => dialog.getByRole('option').locator('span:first-child').allTextContents())
      .toEqual([expect.stringMatching(/:48:42$/), expect.stringMatching(/:48:07$/), expect.stringMatching(/:47$/)]);
  });

  test('leaves a folder that does not exist in another restore point', async () => {
    const { page } = await open({
      'restore.open': ({ path, restorePoint }) => {
        if (path !== '' && restorePoint !== POINTS[0]!.restorePoint) {
          throw new HoldfastError('path_not_found', { path });
        }
        return { listing: path };
      },
      'restore.rows': ({ listing }) => ({
        entries: rowsOf(listing),
        total: FOLDERS[listing]!.total,
        isComplete: true,
        isSorted: true,
      }),
    });
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await page.getByRole('button', { name: 'Older restore point' }).click();
    await page.getByText('“Documents” did not exist at this time. This is the nearest folder that did.').waitFor();
    await rowOf(page, 0).waitFor();
    // It reappears in the restore point that contains it.
    await page.getByRole('button', { name: 'Newer restore point' }).click();
    await rowOf(page, 7).waitFor();
    await page.getByText(/did not exist/).waitFor({ state: 'detached' });
  });

  test('shows how a folder grows while it is read', async () => {
    let known = 3;
    const { page } = await open({
      'restore.open': ({ path }) => ({ listing: path }),
      'restore.rows': ({ listing, from, count }) => {
        const entries = rowsOf(listing)
          .slice(0, known)
          .slice(from, from + count);
        const total = Math.min(known, FOLDERS[listing]!.total);
        return { entries, total, isComplete: total === FOLDERS[listing]!.total, isSorted: true };
      },
    });
    await rowOf(page, 0).dblclick();
    await page.getByText('3 entries so far…').waitFor();
    known = 8;
    await page.getByRole('status').filter({ hasText: '8 entries' }).waitFor();
    await rowOf(page, 7).waitFor();
  });

  test('begins with the set that is first on Home', async () => {
    const sources = ['Archive', 'Documents'].map((set) => ({ set, device: 'dev_1', deviceName: 'Anna’s laptop' }));
    const shown = await open({ 'restore.sources': () => ({ sources }) });
    await rowOf(shown.page, 0).waitFor();
    expect(callsOf(shown, 'restore.points').at(0)).toMatchObject({ set: 'Documents' });
  });

  test('restores by keyboard alone', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 0).waitFor();
    await tabTo(page, 'grid');
    await page.keyboard.press('Enter');
    await rowOf(page, 7).waitFor();
    await tabTo(page, 'grid');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('1 folder chosen (100 MB)').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty.').waitFor();
    await tabTo(page, 'One folder up');
    await page.keyboard.press('Enter');
    await rowOf(page, 7).waitFor();
    await tabTo(page, 'grid');
    // The row of the opened folder is current again.
    await expect.poll(() => current(page)).toBe('Invoices');
    await tabTo(page, 'Restore…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('1,204 files, 3.4 GB will be written.').waitFor();
    // The first choice is that of the time.
    await tabTo(page, 'radio');
    await page.keyboard.press('Tab');
    await tabTo(page, 'radio');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'Choose folder…');
    await page.keyboard.press('Enter');
    await page.getByText('1,204 files, 3.4 GB will be written.').waitFor();
    await tabTo(page, 'Start restoring');
    await page.keyboard.press('Enter');
    await page.getByText('5 files (420 MB) restored to /home/anna/Restored.').waitFor();
    expect(shown.errors).toEqual([]);
  });

  test('shows a restore that already runs, and stops it', async () => {
    const shown = await open({ 'runs.stop': () => ({}) }, RESTORING);
    const { page } = shown;
    await page.getByRole('progressbar', { name: 'Restoring “Documents”' }).waitFor();
    await page.getByText('Files: 402 of 1,204 · 1.1 GB of 3.4 GB · 48 MB/s · about 1 minute left').waitFor();
    await page.getByText('Files: 402 of 1,204 · 1.1 GB of 3.4 GB · 48 MB/s · about 1 minute left').waitFor();
    // Before the first file, only lists are read.
    const run = { ...RESTORING.runs[0]!, filesDone: 0, bytesDone: 0 };
    await shown.setState({ ...RESTORING, runs: [run] });
    await page.getByText('Files: 0 of 1,204 · 0 B of 3.4 GB · about 1 minute left').waitFor();
    expect(await page.getByText(/MB\/s/).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => shown.calls.at(-1)).toEqual({ name: 'runs.stop', input: { run: 21 } });
  });
});

function rowsOf(path: string): BrowsedEntry[] {
  const { total, row } = FOLDERS[path]!;
  return Array.from({ length: Math.min(total, 200) }, (_, index) => row(index));
}

function rowOf(page: Page, index: number): ReturnType<Page['locator']> {
  return page.locator(`[role=row][data-index="${index}"]`);
}

function choose(page: Page, index: number): Promise<void> {
  return rowOf(page, index).locator('[data-part=choose]').click();
}

async function nameAt(page: Page, index: number): Promise<string | null> {
  const row = rowOf(page, index).locator('.restore-name');
  return (await row.count()) === 0 ? null : row.textContent();
}

/** Scrolls as the bar does, to a fraction of the whole from 0 to 1. */
function scroll(page: Page, selector: string, part: number): Promise<unknown> {
  return page.evaluate(`(() => {
    const element = document.querySelector('${selector}');
    element.scrollTop = element.scrollHeight * ${part};
  })()`);
}

/** Returns the index of the first row below the head of the list. */
function topRow(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const head = document.querySelector('.restore-head').getBoundingClientRect().bottom;
    const seen = [...document.querySelectorAll('[role=row][data-index]')].filter((row) => row.getBoundingClientRect().top >= head - 18);
    return Math.min(...seen.map((row) => Number(row.dataset.index)));
  })()`);
}

function current(page: Page): Promise<string | null> {
  return page.evaluate(`(() => {
    const id = document.querySelector('[role=grid]').getAttribute('aria-activedescendant');
    return id && document.getElementById(id).querySelector('.restore-name')?.textContent;
  })()`);
}

function lastOpened({ calls }: ShownWindow): { readonly restorePoint: string; readonly path: string } {
  const { restorePoint, path } = calls.findLast(({ name }) => name === 'restore.open')!.input as {
    restorePoint: string;
    path: string;
  };
  return { restorePoint, path };
}

/** Presses Tab until a control with this name or role has the focus. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let press = 0; press < 60; press += 1) {
    const is = await page.evaluate(`(() => {
      const element = document.activeElement;
      return [element.getAttribute('role'), element.type, element.getAttribute('aria-label') ?? element.textContent.trim()];
    })()`);
    if ((is as string[]).includes(wanted)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way by Tab to ${wanted}`);
}
