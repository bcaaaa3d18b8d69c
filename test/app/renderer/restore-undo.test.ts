import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { POINTS, REPORT, restoreAnswers, ROOT } from './restore-answers.ts';
import { BACKUP_DISK, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages, type Answers, type ShownWindow } from './window-page.ts';

const STARTED = NOW - 3_600_000;
const LAST = {
  set: 'Documents',
  restorePoint: POINTS[0]!.restorePoint,
  startedAt: STARTED,
  replaced: 2,
  moved: 3,
  created: 1,
  isBegun: false,
};
const VALUES = [
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
];

const ENDED = {
  id: 21,
  kind: 'restore',
  destination: BACKUP_DISK.id,
  set: 'Documents',
  outcome: 'succeeded',
  startedAt: STARTED,
  endedAt: NOW,
  warnings: 0,
} as const;

describe.skipIf(CHROMIUM === undefined)('undoing a restore', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers: Answers): Promise<ShownWindow> {
    const shown = await pages.show(PROTECTED, restoreAnswers(answers));
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    return shown;
  }

  test('undoes the last restore to the original place by one press, and names what it leaves', async () => {
    const movedTo = '/home/anna/Before undo 2026-11-21 12.10.00';
    let isUndone = false;
    const shown = await open({
      'restore.undoable': () => (isUndone ? {} : { last: LAST }),
      'restore.undo': () => {
        isUndone = true;
        const notUndone = [{ path: `${ROOT}/notes.md`, reason: 'changed' }];
        return { putBack: 1, movedAside: 2, movedTo: [movedTo], notUndone, notUndoneTotal: 1 };
      },
    });
    const { page } = shown;
    await page
      .getByText('2 files were replaced. One file was added. 3 items that did not exist then were moved aside.')
      .waitFor();
    await expectSoundEverywhere(shown, PROTECTED, VALUES);
    await page.getByRole('button', { name: 'Undo restore' }).press('Enter');
    await page.getByText('The restore is undone as far as possible. One item is as it was.').waitFor();
    // The button is gone.
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
    // What a live region in another says, screen readers say twice.
    expect(await page.locator('[role=status] [role=status]').count()).toBe(0);
    await page.getByText(`The 2 restored files are now in ${movedTo}.`).waitFor();
    await page.getByText('One item stays as it is').click();
    await page.getByText('changed since the restore').waitFor();
    expect(callsOf(shown, 'restore.undo')).toEqual([{ startedAt: STARTED }]);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.getByText(/Undo restore/).count()).toBe(0);
  });

  test('offers to undo in one line, until that is dismissed for this restore', async () => {
    const shown = await open({
      'restore.undoable': () => ({ last: LAST }),
      'preferences.save': () => ({}),
    });
    const { page } = shown;
    await page.setViewportSize({ width: 720, height: 520 });
    const offer = page.locator('.ui-notice').filter({ has: page.getByRole('button', { name: 'Undo restore' }) });
    await offer.waitFor();
    const row = await page.locator('.restore-row').first().boundingBox();
    expect((await offer.boundingBox())!.height).toBeLessThan(1.5 * row!.height);
    const [outer, inner] = await Promise.all([
      offer.boundingBox(),
      offer.getByRole('button', { name: /^Dismiss/ }).boundingBox(),
    ]);
    expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width);
    await offer.getByRole('button', { name: 'Dismiss: no longer offer to undo this restore here' }).click();
    await expect
      .poll(() => callsOf(shown, 'preferences.save').at(-1))
      .toMatchObject({ preferences: { dismissedUndo: STARTED } });
    const dismissed = { ...PROTECTED.preferences, dismissedUndo: STARTED };
    await shown.setState({ ...PROTECTED, preferences: dismissed });
    await expect.poll(() => offer.count()).toBe(0);
    await shown.setState({ ...PROTECTED, preferences: { ...dismissed, dismissedUndo: STARTED - 1 } });
    await offer.waitFor();
  });

  test('is offered in the details of that restore, also after the offer was dismissed', async () => {
    const dismissed = { ...PROTECTED, preferences: { ...PROTECTED.preferences, dismissedUndo: STARTED } };
    const shown = await pages.show(
      dismissed,
      restoreAnswers({
        'restore.undoable': () => ({ last: LAST }),
        'activity.list': () => ({
          runs: [ENDED, { ...ENDED, id: 20, startedAt: STARTED - 9_000, endedAt: STARTED - 8_000 }],
          hasMore: false,
        }),
        'activity.run': ({ run }) => ({
          run: run === ENDED.id ? ENDED : { ...ENDED, id: run, endedAt: STARTED - 8_000 },
          steps: [],
          report: { ...REPORT, to: null, restorePoint: LAST.restorePoint },
        }),
      }),
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('navigation').getByRole('button').nth(3).click();
    await page
      .getByRole('row', { name: /^Restore/ })
      .last()
      .click();
    await page.getByText('Original location').waitFor();
    expect(await page.getByRole('button', { name: 'Undo restore' }).count()).toBe(0);
    await page.getByRole('button', { name: 'All activity' }).click();
    await page
      .getByRole('row', { name: /^Restore/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Undo restore' }).waitFor();
  });

  test('offers nothing of a result that an undo has taken away', async () => {
    const kept = '/home/anna/Before restore 2026-11-21 12.10.00';
    const same = { files: 0, bytes: 0, filesUnchanged: 14, filesFailed: 0, failures: [], failuresTotal: 0 };
    const restored = { ...REPORT, ...same, to: null, keptIn: [kept], restorePoint: POINTS[0]!.restorePoint };
    let isUndone = false;
    const shown = await open({
      'restore.undoable': () => (isUndone ? {} : { last: LAST }),
      'restore.undo': () => {
        isUndone = true;
        return { putBack: 1, movedAside: 1, movedTo: [], notUndone: [], notUndoneTotal: 0 };
      },
      'restore.on-disk': ({ paths }) => ({
        found: isUndone ? [] : paths.map((path) => ({ path, kind: 'directory' as const })),
      }),
      'activity.run': () => ({
        run: { ...ENDED },
        steps: [],
        report: restored,
      }),
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('button', { name: 'Show these items' }).waitFor();
    await page.getByText('No file had to be restored.').waitFor();
    await page.getByText('14 files were the same already.').waitFor();
    await page.getByRole('button', { name: 'Undo restore' }).click();
    await page.getByText('The restore is undone.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Show these items' }).count()).toBe(0);
    expect(await page.getByText(new RegExp(kept)).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Show in file manager' }).count()).toBe(0);
    await page.getByRole('heading', { name: 'Undone' }).waitFor();
    expect(await page.getByText('14 files were the same already.').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
  });
});
