import { afterEach, describe, expect, test } from 'vitest';
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

const opened: ElectronFixture[] = [];
afterEach(async () => {
  for (const fixture of opened.splice(0)) await fixture.close();
});

describe.skipIf(!ELECTRON)('onboarding in Electron', () => {
  test('makes a backup in a folder that the command line restores', async () => {
    const folder = makePersonalFolder();
    const { fixture, page } = await freshWindow(folder);
    opened.push(fixture);
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
});
