import { afterAll, describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { answerWords, freshWindow, makePersonalFolder, shownPhrase } from './first-steps.ts';
import { Screens } from './screens.ts';

describe.skipIf(!ELECTRON)('views', () => {
  let fixture: ElectronFixture | undefined;
  afterAll(() => fixture?.close());

  test('are accessible and fit the smallest window with real backups', async () => {
    const opened = await freshWindow(makePersonalFolder());
    const { page } = opened;
    fixture = opened.fixture;
    const screens = new Screens(opened.fixture, page);
    const found: string[] = [];
    const look = async (name: string): Promise<void> => void found.push(...(await screens.look(name)));
    const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).first().click();

    await page
      .getByText(/System disk/)
      .first()
      .waitFor();
    await look('first-1-destination');
    await press('I already have backups');
    await page.getByRole('heading', { name: 'Where are your backups?' }).waitFor();
    await look('first-1-existing');
    await press('Set up new backups instead');
    await page.getByText('A Holdfast service').click();
    await look('first-1-destination-service');
    await page
      .getByText(/System disk/)
      .first()
      .click();
    await press('Test this destination');
    await page.getByRole('button', { name: 'Use this destination' }).waitFor();
    await look('first-2-ready');
    await press('Use this destination');
    const words = await shownPhrase(page);
    await look('first-3-phrase');
    await press('I have written it down');
    await page.getByRole('textbox').first().waitFor();
    await look('first-4-confirm');
    await answerWords(page, words);
    await page.getByText(/41 files/).waitFor();
    await look('first-5-folders');
    await press('Start the first backup');
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    await look('home');

    await press('Backup sets');
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await look('sets');
    await press('Edit My files');
    await page.getByText(/^41 files, .* to back up$/).waitFor();
    await look('sets-editor');
    for (const section of [
      'Leave out',
      'When',
      'Conditions',
      'Limits',
      'Keep',
      'Check',
      'Before and after',
      'Command',
    ]) {
      await page.getByRole('tab', { name: new RegExp(`^${section}`) }).click();
      await page.getByRole('tabpanel').waitFor();
      if (section === 'Leave out') {
        await page.getByLabel('Pattern').fill('chapter 1*.txt');
        await page.getByRole('button', { name: 'Add rule' }).click();
        await page.getByText(/^11 files left out, saves /).waitFor();
      }
      await look(`sets-editor-${section.toLowerCase().replace(' ', '-')}`);
    }
    await press('Cancel');
    await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor();
    await look('sets-editor-discard');
    await press('Discard changes');
    await press('Restore');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    await look('restore');
    await page.getByRole('searchbox').fill('chapter 4');
    await page
      .getByRole('button', { name: /^Restore “chapter 4/ })
      .first()
      .waitFor();
    await look('restore-found');
    await page
      .getByRole('button', { name: /quick look/ })
      .first()
      .click();
    await page.getByRole('region', { name: /^Text of/ }).waitFor();
    await look('restore-look');
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    await press('Restore everything…');
    await page.getByRole('dialog', { name: 'Restore' }).waitFor();
    await look('restore-dialog');
    await press('Cancel');
    await press('Activity');
    await page.getByText('Backup of “My files”').first().waitFor();
    await look('activity');
    await press('Devices');
    await page.getByText('This computer').first().waitFor();
    await look('devices');
    await press('Settings');
    for (const tab of ['General', 'Destination', 'Security', 'About']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').waitFor();
      await look(`settings-${tab.toLowerCase()}`);
    }
    await press('Activity');
    await page.getByRole('row', { name: /Backup of “My files”/ }).click();
    await page.getByRole('heading', { name: 'Log' }).waitFor();
    await look('activity-run');
    expect(found).toEqual([]);
  }, 600_000);
});
