import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import {
  answerWords,
  choosePlace,
  expectRestored,
  freshWindow,
  holdfast,
  makePersonalFolder,
  shownPhrase,
} from './first-steps.ts';

const RECOMMENDED = { keep_all_days: 7, hourly: 0, daily: 30, weekly: 12, monthly: 24, yearly: 0 };

describe.skipIf(!ELECTRON)('the first backup set in Electron', () => {
  let folder: string;
  let fixture: ElectronFixture | undefined;
  let page: Page;
  // Starting and setting up the app takes longer than any of the tests, which use it one after the other.
  beforeAll(async () => {
    folder = makePersonalFolder();
    ({ fixture, page } = await freshWindow(folder));
  });
  afterAll(() => fixture?.close());

  const set = async (): Promise<unknown> => JSON.parse(await holdfast(folder, 'set', 'show', 'My files', '--json'));

  test('begins with a backup in a folder that the command line restores', async () => {
    await choosePlace(page);
    const words = await shownPhrase(page);
    expect(words).toHaveLength(24);
    await page.getByRole('button', { name: 'I have written it down' }).click();
    await answerWords(page, words, true);
    await page.getByRole('button', { name: 'Show the phrase again' }).waitFor();
    await answerWords(page, words);

    await page.getByRole('heading', { name: 'What should be backed up?' }).waitFor();
    await page.getByText(/41 files/).waitFor();
    await page.getByRole('button', { name: 'Start the first backup' }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();

    expect(JSON.parse(await holdfast(folder, 'key', 'export', '--json'))).toEqual({ recovery_phrase: words.join(' ') });
    await expectRestored(folder);
  });

  test('has the recommended settings, a policy that can be changed, and goes on without a missing folder', async () => {
    const policy = async (): Promise<unknown> =>
      (JSON.parse(await holdfast(folder, 'retention', 'show', 'My files', '--json')) as { policy: unknown }).policy;
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

  test('is edited as the command line shows it', async () => {
    await page.getByRole('button', { name: 'Backup sets' }).click();
    await page.getByRole('button', { name: 'Edit My files' }).click();

    await page.getByRole('tab', { name: /^Leave out/ }).click();
    await page.getByLabel('Pattern').fill('chapter 1.txt');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText(/^1 file left out, saves /).waitFor();
    await page.getByText(/^39 files, .* to back up$/).waitFor();

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
    await page.getByText('“My files” is saved.').first().waitFor();

    await expect.poll(set).toMatchObject({
      name: 'My files',
      excludes: ['chapter 1.txt'],
      schedule: 'daily 18:45',
      conditions: { battery_at_least: 35, not_metered: true },
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
