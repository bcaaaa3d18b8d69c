import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import type { Page } from 'playwright';
import { createFormats } from '../../../src/strings/formats.ts';
import {
  activityAnswers,
  BACKUP_REPORT,
  pastRuns,
  RESTORE_REPORT,
  RESTORE_REQUEST,
  VERIFY_REPORT,
} from './activity-answers.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf, tabTo } from './keyboard.ts';
import { BACKUP_DISK, BUCKET, DOCUMENTS, NOW, PROTECTED, RUNNING, SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const IDLE: AppState = { ...PROTECTED, sets: [DOCUMENTS, { ...DOCUMENTS, name: 'Pictures' }] };
const BUSY: AppState = { ...IDLE, health: 'running', runs: [RUNNING] };
const ANSWERS = activityAnswers(pastRuns(120), (run) => (run.kind === 'restore' ? RESTORE_REPORT : BACKUP_REPORT));
const DATA = ['Documents', 'Pictures', 'Anna’s laptop', /\/[\w/. -]+(…[\w/. -]*)?/];

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('activity view', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(async () => {
    await pages?.close();
  });

  test('lists runs by day, and older ones on demand', async () => {
    const shown = await open(IDLE);
    const { page } = shown;
    const day = createFormats('en-GB').dayName(pastRuns(1)[0]!.startedAt);
    await page.getByText(day).waitFor();
    expect(await page.locator('.act-row').count()).toBe(50);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => page.locator('.act-row').count()).toBe(100);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => page.locator('.act-row').count()).toBe(120);
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
    expect(callsOf(shown, 'activity.list')).toEqual([{ limit: 50 }, { limit: 100 }, { limit: 150 }]);
  });

  test('accepts on the page of a run what it missed, and opens the backup', async () => {
    const [run] = pastRuns(1);
    const folder = '/home/anna/Documents/nas';
    const warned = { ...BACKUP_REPORT, warnings: [{ path: folder, reason: 'folder-not-mounted' }] };
    const others = ['/home/anna/Documents/shm'];
    const failures = [
      { code: 'source_not_mounted', details: { path: folder } },
      { code: 'source_not_mounted', details: { path: folder, problem: 'earlier-disks', count: 2, others } },
    ] as const;
    for (const [report, outcome, need, folders] of [
      [warned, 'warnings', { kind: 'folder-missing', set: 'Documents', folder, problem: 'not-mounted' }, [folder]],
      ...failures.map(
        (failure, index) =>
          [
            { ...BACKUP_REPORT, failure },
            'failed',
            { kind: 'failed', set: 'Documents', failure, at: run!.endedAt },
            index === 0 ? [folder] : [folder, ...others],
          ] as const,
      ),
    ] as const) {
      const shown = await open(
        { ...IDLE, needs: [need] },
        {
          ...activityAnswers([{ ...run!, outcome }], () => report),
          'runs.accept': () => ({ run: 13 }),
        },
      );
      const { page } = shown;
      await page.locator('.act-row').first().click();
      await page.getByRole('button', { name: `What was in ${folders.join(' and ')} is gone for good…` }).click();
      await page.getByRole('button', { name: 'Back up without it' }).click();
      await expect.poll(() => callsOf(shown, 'activity.run').at(-1)).toEqual({ run: 13 });
      expect(callsOf(shown, 'runs.accept')).toEqual([{ set: 'Documents', folders }]);
      // A later backup has another end.
      if (need.kind === 'failed') {
        await shown.setState({ ...IDLE, needs: [{ ...need, at: need.at + 1 }] });
        await expect.poll(() => page.getByRole('button', { name: /is gone for good…$/ }).count()).toBe(0);
      }
    }
  });

  test('filters by set, kind and outcome, and shows when no run matches', async () => {
    const shown = await open(IDLE);
    const { page } = shown;
    await choose(shown, 'All results', 'Failed');
    await expect.poll(() => page.locator('.act-row').count()).toBe(20);
    expect(await page.locator('.act-row').first().textContent()).toContain(
      'cannot be found, or no longer contains your backups',
    );
    await choose(shown, 'All types', 'Checks');
    await page.getByText('No results').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.locator('.act-row').count()).toBe(50);
  });

  test('names the destination of a run when there are several, and filters by it', async () => {
    const shown = await open(IDLE);
    const { page } = shown;
    await page.locator('.act-row').first().waitFor();
    expect(await page.getByRole('button', { name: /Destination/ }).count()).toBe(0);
    expect(await page.locator('.act-row').nth(1).textContent()).not.toContain(BUCKET.name);
    await shown.setState({ ...IDLE, destinations: SEVERAL.destinations });
    await page
      .locator('.act-row')
      .first()
      .getByText(new RegExp(`^Done · ${BACKUP_DISK.name} · `))
      .waitFor();
    await page
      .locator('.act-row')
      .nth(1)
      .getByText(new RegExp(`^Done · ${BUCKET.name} · `))
      .waitFor();
    // It is not configured any more.
    expect(await page.locator('.act-row').nth(2).textContent()).toMatch(/With warnings · \d|Done, with warnings · \d/);
    await choose(shown, 'All destinations', BUCKET.name);
    await expect.poll(() => page.locator('.act-row').count()).toBe(30);
    expect(callsOf(shown, 'activity.list').at(-1)).toEqual({ limit: 50, destination: BUCKET.id });
    await page.locator('.act-row').first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page
      .locator('.act-head')
      .getByText(new RegExp(` · ${BUCKET.name}$`))
      .waitFor();
    await shown.close();
  });

  test('adds a run that ends meanwhile at the top', async () => {
    const runs = [...pastRuns(3)];
    const shown = await open(
      BUSY,
      activityAnswers(runs, () => BACKUP_REPORT),
    );
    const { page } = shown;
    await expect.poll(() => page.locator('.act-row').count()).toBe(3);
    runs.unshift({ ...runs[0]!, id: 2000, outcome: 'warnings', warnings: 2, startedAt: NOW - 1000, endedAt: NOW });
    await shown.setState(IDLE);
    await expect.poll(() => page.locator('.act-row').count()).toBe(4);
    expect(await page.locator('.act-row').first().textContent()).toContain('2 warnings');
    expect(await page.getByText(/Running now/).count()).toBe(0);
  });

  test('stops a run after a confirmation that lists what is kept', async () => {
    const shown = await open(BUSY);
    const { page } = shown;
    await page.getByText('431 MB of 1.9 GB · 18,210 files · 11.8 MB/s · about 2 minutes left').waitFor();
    const stop = page.getByRole('button', { name: 'Stop: Backup of “Documents”' });
    await stop.click();
    await page.getByText(/Everything stored so far is kept\./).waitFor();
    await page.getByRole('button', { name: 'Keep going' }).click();
    expect(callsOf(shown, 'runs.stop')).toEqual([]);
    await stop.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(callsOf(shown, 'runs.stop')).toEqual([{ run: RUNNING.id }]);
  });

  test('lists the failed files of a restore and retries them', async () => {
    const shown = await open(IDLE);
    const { page } = shown;
    await page
      .getByRole('row', { name: /^Restore from “Documents”/ })
      .first()
      .click();
    await page.getByText('Failed: You do not have permission to write there.').waitFor();
    expect(
      await page.getByText('Failed: Part of it is missing at the destination, or cannot be read there.').count(),
    ).toBe(1);
    await page.getByRole('button', { name: 'Show folder' }).click();
    await page.getByText('Failed (2)').click();
    await expect.poll(() => page.locator('.act-problem').count()).toBe(2);
    await page.getByRole('button', { name: 'Copy list' }).click();
    await page.getByText('Copied').waitFor();
    await page.getByRole('button', { name: 'Retry failed files' }).click();
    await expect.poll(() => callsOf(shown, 'restore.start').length).toBe(1);
    expect(callsOf(shown, 'shell.show-path')).toEqual([{ path: '/home/anna/Restored' }]);
    expect(callsOf(shown, 'shell.copy')).toEqual([
      {
        text: [
          'Failed\t/home/anna/Documents/Thesis/figures/microscope-2026.tiff\tPart of it is missing at the destination, or cannot be read there.',
          'Failed\t/home/anna/Documents/locked.txt\tYou do not have permission to write there.',
        ].join('\n'),
      },
    ]);
    // The same request, but existing files are kept: single files would be restored to other paths.
    expect(callsOf(shown, 'restore.start')).toEqual([{ ...RESTORE_REQUEST, conflict: 'skip' }]);
  });

  test('counts files, not their damaged parts', async () => {
    const names = ['a', 'b', 'c'].map((name) => `/home/anna/${name}.raw`);
    const failures = names.flatMap((path) => Array.from({ length: 7 }, () => ({ path, reason: 'chunk_tampered' })));
    const [run] = pastRuns(1);
    const verify = { ...run!, kind: 'verify' as const, outcome: 'failed' as const };
    const report = { ...BACKUP_REPORT, failures, failuresTotal: failures.length, filesFailed: names.length };
    const { page } = await open(
      IDLE,
      activityAnswers([verify], () => report),
    );
    await page.locator('.act-row').first().click();
    await page.getByRole('status').getByText('3 files').waitFor();
    await expect.poll(() => page.locator('.act-problem').count()).toBe(3);
    expect(await page.getByText(/not listed here/).count()).toBe(0);
  });

  test('tells a warning that is about no file apart from the files with problems', async () => {
    const warnings = [
      { path: '/media/anna/Backup disk', reason: 'destination-damaged' },
      { path: '/home/anna/locked.txt', reason: 'unreadable' },
    ];
    const [run] = pastRuns(1);
    const { page } = await open(
      IDLE,
      activityAnswers([{ ...run!, outcome: 'warnings', warnings: 2 }], () => ({ ...BACKUP_REPORT, warnings })),
    );
    await page.locator('.act-row').first().click();
    await page.getByRole('status').getByText('1 file').waitFor();
    expect(await page.locator('.act-problem').allInnerTexts()).toEqual([expect.stringContaining('locked.txt')]);
    await page.locator('.ui-notice').getByText('/media/anna/Backup disk').waitFor();
  });

  test('a run with general warnings alone lists no file', async () => {
    const warnings = [{ path: 'Documents', reason: 'clock-jumped' }];
    const [run] = pastRuns(1);
    const { page } = await open(
      IDLE,
      activityAnswers([{ ...run!, outcome: 'warnings', warnings: 1 }], () => ({ ...BACKUP_REPORT, warnings })),
    );
    await page.locator('.act-row').first().click();
    await page.getByText(/more than a year later/).waitFor();
    expect(await page.getByRole('heading', { name: /Files with problems/ }).count()).toBe(0);
  });

  test('tells what a backup read from the size of its files, and what a check opened', async () => {
    const [backup] = pastRuns(1);
    const verify = { ...backup!, id: backup!.id - 1, kind: 'verify' as const };
    const figures = async (page: Page): Promise<string[]> =>
      (await page.locator('.act-figure-row > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    const { page } = await open(
      IDLE,
      activityAnswers([backup!, verify], ({ kind }) =>
        kind === 'backup'
          ? {
              ...BACKUP_REPORT,
              bytes: 37_000_000,
              bytesInPoint: 1_700_000_000,
              leftOut: { files: 1204, bytes: 3_100_000_000, isAtLeast: true },
              notes: [{ path: '/srv/postgresql/main', reason: 'database-postgresql' }],
            }
          : { ...VERIFY_REPORT, pointsChecked: 12 },
      ),
    );
    await page.locator('.act-row').first().click();
    await expect.poll(() => figures(page)).toContain('Read 37 MB');
    expect(await figures(page)).toContain('Size 1.7 GB');
    expect(await figures(page)).toContain('Left out At least 1,204 files, 3.1 GB');
    await expect.poll(() => page.getByText(/for example pg_dumpall/).count()).toBe(1);
    // Of so little, it would be a figure about the list of files.
    expect((await figures(page)).join()).not.toContain('Already stored');
    await page.getByRole('button', { name: 'All activity' }).click();
    await page.locator('.act-row').nth(1).click();
    await expect.poll(() => figures(page)).toContain('Checked 940 MB');
    expect(await figures(page)).toContain('Downloaded 610 MB');
    expect(await figures(page)).toContain('Restore points 12');
  });

  test('an archive and a mount compare nothing with existing files, and a mount was open for a while', async () => {
    const [run] = pastRuns(1);
    const kinds = ['export', 'mount', 'restore'] as const;
    const runs = kinds.map((kind, index) => Object.assign({}, run!, { id: 40 - index, kind, outcome: 'succeeded' }));
    const steps = [{ state: 'planning', at: NOW }];
    const shown = await open(IDLE, {
      ...activityAnswers(runs, () => RESTORE_REPORT),
      'activity.run': ({ run: id }) => ({ run: runs.find((one) => one.id === id)!, steps, report: RESTORE_REPORT }),
    });
    const { page } = shown;
    const rows = page.locator('.act-row');
    await rows
      .nth(1)
      .getByText(/open for/)
      .waitFor();
    expect(await rows.nth(0).innerText()).toContain('took');
    const expected = ['Reading file lists', 'Reading file lists', 'Comparing with existing files'];
    for (const [index, text] of expected.entries()) {
      await rows.nth(index).click();
      await page.locator('.act-steps').getByText(text).waitFor();
      await page.getByRole('button', { name: 'All activity' }).click();
    }
  });

  test('offers no retry when the request of a restore is unknown', async () => {
    const report = { ...RESTORE_REPORT, failuresTotal: 12_000, filesFailed: 12_000 };
    const run = pastRuns(6)[5]!;
    const answers = activityAnswers([run], () => report);
    const shown = await open(IDLE, { ...answers, 'activity.run': () => ({ run, steps: [], report }) });
    const { page } = shown;
    await page.getByRole('row', { name: /^Restore from/ }).click();
    await page.getByText('11,998 more files that failed are not listed here.').waitFor();
    expect(await page.getByRole('button', { name: 'Retry failed files' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Restore again…' }).click();
    await page.getByRole('heading', { name: 'Restore' }).waitFor();
  });

  test('opens the failed run from home', async () => {
    const state: AppState = {
      ...IDLE,
      health: 'attention',
      needs: [{ kind: 'warnings', set: 'Documents', run: 998, count: 3 }],
    };
    const shown = await pages.show(state, ANSWERS);
    onTestFinished(() => shown.close());
    await shown.page.locator('.home-need').getByRole('button').click();
    await shown.page.getByRole('button', { name: 'All activity' }).waitFor();
    await expect.poll(() => callsOf(shown, 'activity.run')).toEqual([{ run: 998 }]);
    // Selecting the view again leaves the run.
    await shown.page.getByRole('navigation').getByRole('button', { name: 'Activity' }).click();
    await shown.page.getByRole('heading', { name: 'Activity' }).waitFor();
  });

  test('draws few rows of thousands of warnings', async () => {
    const warnings = Array.from({ length: 9_000 }, (_, index) => ({
      path: `/home/anna/Documents/file-${index}.txt`,
      reason: 'vanished',
    }));
    const shown = await open(
      IDLE,
      activityAnswers(pastRuns(3), () => ({ ...BACKUP_REPORT, warnings })),
    );
    const { page } = shown;
    await page.locator('.act-row').first().click();
    await page.getByText('9,000 files').waitFor();
    const list = page.getByRole('region', { name: /^[0-9,]+ files$/ });
    expect(await page.locator('.act-problem').count()).toBeLessThan(60);
    await list.focus();
    await page.keyboard.press('End');
    await page.getByText('/home/anna/Documents/file-8999.txt').waitFor();
    expect(await page.locator('.act-problem').count()).toBeLessThan(60);
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('file-777');
    await page.getByText('11 files of 9,000').waitFor();
  });

  test('opens a run, verifies again and returns to its row, by keyboard alone', async () => {
    const shown = await open(IDLE);
    const { page } = shown;
    await page.locator('.act-row').first().waitFor();
    await tabTo(shown, /^Backup of/);
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Check of “Documents”' }).waitFor();
    await page.getByRole('region', { name: 'Check of “Documents”' }).and(page.locator(':focus')).waitFor();
    await tabTo(shown, /^Check again/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(shown, /^A sample/);
    await page.keyboard.press('ArrowDown');
    await tabTo(shown, /^Check$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => callsOf(shown, 'runs.verify')).toEqual([{ set: 'Documents', samplePercent: 100 }]);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo(shown, /^All activity$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.dataset.key')).toBe('997');
  });

  test('leaves the focus where a person has moved it while the details of a run load', async () => {
    const details = Promise.withResolvers<undefined>();
    const shown = await open(IDLE, {
      ...ANSWERS,
      'activity.run': async (input) => {
        await details.promise;
        return ANSWERS['activity.run']!(input);
      },
    });
    const { page } = shown;
    await page.locator('.act-row').first().click();
    // Its only text is that of the button.
    await page.evaluate('document.querySelector("[data-page]").focus()');
    await tabTo(shown, /^All activity$/);
    details.resolve(undefined);
    await page.getByRole('heading', { name: 'Backup of “Documents”' }).waitFor();
    await page.getByRole('button', { name: 'All activity' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
  });

  test('explains an empty list and a failed request', async () => {
    const shown = await open(IDLE, { 'activity.list': () => ({ runs: [], hasMore: false }) });
    const { page } = shown;
    await page.getByText('Nothing has run yet').waitFor();
    let tries = 0;
    const second = await open(IDLE, {
      'activity.list': () => {
        tries += 1;
        if (tries === 1) throw new Error('not now');
        return { runs: [...pastRuns(2)], hasMore: false };
      },
    });
    await second.page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => second.page.locator('.act-row').count()).toBe(2);
  });

  test('fits the window in every language and is accessible', async () => {
    const shown = await open(BUSY);
    await shown.page.locator('.act-row').first().waitFor();
    await expectSoundEverywhere(shown, BUSY, DATA);
    await shown.page.locator('.act-row').nth(5).click();
    await shown.page.locator('.act-problem').first().waitFor();
    await expectSoundEverywhere(shown, BUSY, DATA);
  });
});

async function open(state: AppState, answers: Answers = ANSWERS): Promise<ShownWindow> {
  const shown = await pages.show(state, answers);
  onTestFinished(() => shown.close());
  await shown.page.getByRole('navigation').getByRole('button').nth(3).click();
  return shown;
}

async function choose({ page }: ShownWindow, shown: string, option: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(` ${shown}$`) }).click();
  await page.getByRole('option', { name: option }).click();
}
