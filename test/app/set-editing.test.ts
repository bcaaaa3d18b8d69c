import { afterAll, describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { firstBackup, freshWindow, holdfast, makePersonalFolder } from './first-steps.ts';

describe.skipIf(!ELECTRON)('set editor in Electron', () => {
  let fixture: ElectronFixture | undefined;
  afterAll(() => fixture?.close());

  test('edits a set as the command line shows it', async () => {
    const folder = makePersonalFolder(6);
    const { page, ...opened } = await freshWindow(folder);
    fixture = opened.fixture;
    await firstBackup(page);
    await page.getByRole('button', { name: 'Backup sets' }).click();
    await page.getByRole('button', { name: 'Edit My files' }).click();

    await page.getByRole('tab', { name: /^Leave out/ }).click();
    await page.getByLabel('Pattern').fill('chapter 1.txt');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText(/^1 file left out, saves /).waitFor();
    await page.getByText(/^6 files, .* to back up$/).waitFor();

    await page.getByRole('tab', { name: /^When/ }).click();
    await page.getByRole('button', { name: /How often/ }).click();
    await page.getByRole('option', { name: 'Every day' }).click();
    await page.getByRole('spinbutton', { name: /^hour/ }).click();
    await page.keyboard.type('1845');
    await page.getByText('Backs up every day at 18:45.').waitFor();

    await page.getByRole('tab', { name: /^Conditions/ }).click();
    await page.getByText('Save battery').click();
    await page.getByRole('textbox', { name: 'Minimum charge (%)' }).fill('35');
    await page.getByText('Not over metered networks').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“My files” is saved.').waitFor();

    expect(JSON.parse(await holdfast(folder, 'set', 'show', 'My files', '--json'))).toMatchObject({
      name: 'My files',
      excludes: ['chapter 1.txt'],
      schedule: 'daily 18:45',
      conditions: { battery_at_least: 35, not_metered: true },
    });
  });
});
