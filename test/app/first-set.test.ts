import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { firstBackup, freshWindow, holdfast, makePersonalFolder } from './first-steps.ts';

const RECOMMENDED = { keep_all_days: 7, hourly: 0, daily: 30, weekly: 12, monthly: 24, yearly: 0 };

describe.skipIf(!ELECTRON)('the first backup set in Electron', () => {
  let fixture: ElectronFixture | undefined;
  afterAll(() => fixture?.close());

  test('has the recommended settings, a policy that can be changed, and goes on without a missing folder', async () => {
    const folder = makePersonalFolder(6);
    const { page, ...opened } = await freshWindow(folder);
    fixture = opened.fixture;
    const policy = async (): Promise<unknown> =>
      (JSON.parse(await holdfast(folder, 'retention', 'show', 'My files', '--json')) as { policy: unknown }).policy;
    const set = async (): Promise<unknown> => JSON.parse(await holdfast(folder, 'set', 'show', 'My files', '--json'));
    await firstBackup(page);
    expect(await set()).toMatchObject({
      private_names: true,
      verification: { every_days: 30, sample_percent: 5 },
      optional_paths: [],
    });
    expect(await policy()).toMatchObject(RECOMMENDED);
    expect(existsSync(join(folder, '.config/autostart/holdfast.desktop'))).toBe(true);

    await keep(page, /^Keep everything/);
    expect(await policy()).toBeNull();
    await keep(page, /^Thin out/);
    expect(await policy()).toMatchObject(RECOMMENDED);

    await page.getByRole('button', { name: 'Home Protected' }).click();
    renameSync(join(folder, 'Pictures'), join(folder, 'Renamed'));
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page
      .getByText(/Pictures of “My files” is missing/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Leave .*Pictures out$/ }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    expect(await set()).toMatchObject({ optional_paths: [join(folder, 'Pictures')] });
    expect(JSON.parse(await holdfast(folder, 'ls', 'My files', join(folder, 'Pictures'), '--json'))).toMatchObject({
      entries: [{ path: join(folder, 'Pictures/süß.jpg') }],
    });
  });
});

/** Chooses what the set keeps, as the editor shows it each time. */
async function keep(page: Page, choice: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Backup sets' }).click();
  await page.getByRole('button', { name: 'Edit My files' }).click();
  await page.getByRole('tab', { name: /^Keep/ }).click();
  await page.getByRole('radio', { name: choice }).check({ force: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“My files” is saved.').first().waitFor();
}
