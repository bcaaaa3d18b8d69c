import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { BACKUP_DISK, BUCKET, PROTECTED, RUNNING } from './states.ts';
import { CHROMIUM, WindowPages, type ShownWindow } from './window-page.ts';

const ON_ONE_DISK: AppState = { ...PROTECTED, destinations: [{ ...BACKUP_DISK, isOnSourceDisk: true }] };
const REPLACED: AppState = { ...PROTECTED, update: { kind: 'replaced' } };

describe.skipIf(CHROMIUM === undefined)('notes on Home', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state: AppState, isStarted = true): Promise<ShownWindow> {
    const shown = await pages.show(state, { 'update.install': () => ({ isStarted }) });
    onTestFinished(() => shown.close());
    return shown;
  }

  const tones = async ({ page }: ShownWindow): Promise<readonly (string | null)[]> => [
    await page.locator('.home-state').getAttribute('data-tone'),
    await page.locator('.frame-mark').getAttribute('data-tone'),
  ];

  test('backups on the disk of the files are not green, and a destination can be added', async () => {
    const shown = await open(ON_ONE_DISK);
    const { page } = shown;
    await page.getByRole('heading', { name: /^Protected, unless this disk fails\./ }).waitFor();
    await page.getByRole('heading', { name: 'Your backups are on the same disk as your files.' }).waitFor();
    expect(await tones(shown)).toEqual(['plain', 'plain']);
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await page.getByRole('dialog', { name: 'Add another destination…' }).waitFor();
  });

  test('backups on the disk of the files are advised about once', async () => {
    const { page } = await open(ON_ONE_DISK);
    await page.getByRole('button', { name: 'Add a destination' }).waitFor();
    await page.getByText('Backups go to /media/anna/Backup disk/holdfast').waitFor();
    expect(await page.getByText(/lose both/).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Add another destination…' }).count()).toBe(0);
  });

  test('one destination elsewhere is enough', async () => {
    const shown = await open({ ...ON_ONE_DISK, destinations: [...ON_ONE_DISK.destinations, BUCKET] });
    await shown.page.getByRole('heading', { name: /^Protected\./ }).waitFor();
    expect(await tones(shown)).toEqual(['good', 'good']);
    await shown.setState({ ...ON_ONE_DISK, sets: [] });
    await expect.poll(() => shown.page.getByText(/on the same disk/).count()).toBe(0);
  });

  test('a replaced program is restarted on Home, after the run', async () => {
    const shown = await open({ ...REPLACED, health: 'running', runs: [RUNNING] });
    const { page } = shown;
    await page.getByRole('heading', { name: 'Restart Holdfast to finish the update.' }).waitFor();
    const restart = page.getByRole('button', { name: 'Restart Holdfast' });
    expect(await restart.isDisabled()).toBe(true);
    await shown.setState(REPLACED);
    await restart.click();
    await expect.poll(() => callsOf(shown, 'update.install')).toEqual([{}]);
  });

  test('a replaced program that cannot be restarted yet says so', async () => {
    const { page } = await open(REPLACED, false);
    await page.getByRole('button', { name: 'Restart Holdfast' }).click();
    await page.getByText('This is possible when the current run is done.').waitFor();
  });

  test.each(APPEARANCES)('fit and are accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const shown = await pages.show(
      inLanguage({ ...ON_ONE_DISK, ...REPLACED, ...ON_ONE_DISK, update: { kind: 'replaced' } }, look.language),
      {},
      look,
    );
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    await expectSound(shown, look, [
      'Documents',
      'Anna’s laptop',
      'Backup disk',
      /\/(media|home)\/\S+( disk\/holdfast)?/,
    ]);
    await shown.close();
  });
});
