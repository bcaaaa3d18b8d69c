import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { POINTS, restoreAnswers } from './restore-answers.ts';
import { BACKUP_DISK, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const AWAY: AppState = { ...PROTECTED, destinations: [{ ...PROTECTED.destinations[0]!, isAtHand: false }] };

describe.skipIf(CHROMIUM === undefined)('restoring while the destination is away', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  /** An agent whose destination is away until `state.isBack`. */
  async function open(state: { isBack: boolean } = { isBack: false }, more: Answers = {}): Promise<ShownWindow> {
    const { id, name, location: directory } = BACKUP_DISK;
    const away = {
      destination: { id, name },
      failure: { code: 'destination_missing', details: { directory } },
    } as const;
    const known = POINTS.map(({ restorePoint, madeAt, backupId }) => ({ restorePoint, madeAt, backupId }));
    const shown = await pages.show(
      AWAY,
      restoreAnswers({
        'restore.sources': () => ({
          sources: [
            { set: 'Documents', deviceName: 'laptop' },
            { set: 'Photos', device: 'dev_2', deviceName: '' },
          ],
        }),
        'restore.points': () => (state.isBack ? { points: [...POINTS] } : { points: known, away }),
        ...more,
      }),
    );
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    return shown;
  }

  test('browses, says why nothing can be fetched, and offers what mends it', async () => {
    const { page } = await open();
    await page.getByText(`“${BACKUP_DISK.name}” is not available right now.`).waitFor();
    await page.getByRole('button', { name: 'Use another disk…' }).waitFor();
    // A computer whose name only the destination knows.
    await page.getByRole('button', { name: 'Backup set Documents · this computer' }).click();
    await page.getByRole('option', { name: 'Photos · another computer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[role=row][data-index="0"]').dblclick();
    await page.locator('[role=row][data-index="7"]').waitFor();
    await page.getByText(`Restoring needs “${BACKUP_DISK.name}”, which is not available.`).waitFor();
    for (const name of ['Restore everything…', 'Restore “Archive”…']) {
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    }
    await page.locator('[role=row][data-index="4"]').click({ button: 'right' });
    for (const name of ['Restore…', 'Save as archive…']) {
      expect(await page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
    }
    expect(await page.getByRole('menuitem', { name: 'Versions…' }).getAttribute('aria-disabled')).toBeNull();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More ways to get files' }).click();
    expect(
      await page
        .getByRole('menuitem', { name: /archive/ })
        .first()
        .getAttribute('aria-disabled'),
    ).toBe('true');
  });

  test('goes on as usual when the destination is back', async () => {
    const state = { isBack: false };
    const shown = await open(state);
    const { page } = shown;
    const notice = page.getByText(`“${BACKUP_DISK.name}” is not available right now.`);
    await notice.waitFor();
    state.isBack = true;
    await shown.setState(PROTECTED);
    await notice.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Restore everything…' }).isDisabled()).toBe(false);
  });

  test('saves one entry as an archive from its menu', async () => {
    const shown = await open({ isBack: true }, { 'shell.export': () => ({}) });
    const { page } = shown;
    await page.locator('[role=row][data-index="0"]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Save as archive…' }).click();
    await expect.poll(() => callsOf(shown, 'shell.export')).toHaveLength(1);
    expect(callsOf(shown, 'shell.export')[0]).toMatchObject({
      set: 'Documents',
      at: Date.parse(POINTS[0]!.restorePoint),
      paths: ['/home/anna/Documents'],
      name: expect.stringMatching(/^Documents /) as string,
    });
  });

  test('fits in every language and size', async () => {
    const shown = await open();
    await shown.page.getByText(`“${BACKUP_DISK.name}” is not available right now.`).waitFor();
    await expectSoundEverywhere(shown, AWAY, [/\bToday,/, 'Documents', 'Anna’s laptop', BACKUP_DISK.name]);
  });
});
