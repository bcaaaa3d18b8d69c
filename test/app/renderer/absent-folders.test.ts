import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOME_STATES } from './home-states.ts';
import { FORM } from './sets-answers.ts';
import { RUNNING } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';

describe.skipIf(CHROMIUM === undefined)('a folder that a backup did without', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('is left out, or removed from its set', async () => {
    const form = { ...FORM, roots: ['/home/anna/Music', '/home/anna/Documents', '/media/anna/Camera'] };
    const answers = {
      'sets.get': () => ({ form, command: 'holdfast set add Documents' }),
      'sets.save': () => ({ passedOver: [] }),
    };
    const shown = await pages.show(HOME_STATES['folders are missing']!, answers);
    const { page } = shown;
    await page.getByText('/home/anna/Music of “Documents” is missing.').first().waitFor();
    await page.getByRole('button', { name: 'Leave /home/anna/Music out' }).click();
    await page.getByText('/home/anna/Music is left out whenever it is missing.').first().waitFor();
    await page.getByRole('button', { name: 'Remove /media/anna/Camera from the backup set' }).click();
    await expect
      .poll(() => shown.calls.filter(({ name }) => name === 'sets.save').map(({ input }) => input))
      .toEqual([
        { set: 'Documents', form: { ...form, optionalRoots: ['/home/anna/Music'] } },
        { set: 'Documents', form: { ...form, roots: ['/home/anna/Music', '/home/anna/Documents'] } },
      ]);
    await shown.close();
  });

  test('is accepted as it is once a person has confirmed what that means', async () => {
    const shown = await pages.show(HOME_STATES['folders are missing']!, { 'runs.accept': () => ({ run: 13 }) });
    const { page } = shown;
    const buttonsOf = (folder: string): Promise<readonly string[]> =>
      page.locator('.home-need').filter({ hasText: folder }).getByRole('button').allInnerTexts();
    await expect.poll(() => buttonsOf('/home/anna/Music')).toEqual(['Leave it out', 'Remove it']);
    expect(await buttonsOf('/media/anna/Camera')).toEqual(['Gone for good…', 'Leave it out', 'Remove it']);
    // It is in a folder of the set, which stays.
    expect(await buttonsOf('/home/anna/Documents/nas')).toEqual(['Gone for good…', 'Leave it out']);
    await page.getByText(/What the earlier one had is kept, and files of the same names/).waitFor();

    const button = page.getByRole('button', {
      name: 'What was in /home/anna/Documents/nas is gone for good…',
    });
    const dialog = page.getByRole('dialog', {
      name: 'Is what was in /home/anna/Documents/nas gone for good?',
    });
    await button.click();
    await dialog.getByText(/records what is missing from .* as deleted\. Earlier restore points keep it\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const accepted = (): readonly unknown[] =>
      shown.calls.filter(({ name }) => name === 'runs.accept').map(({ input }) => input);
    expect(accepted()).toEqual([]);
    await button.click();
    await dialog.getByRole('button', { name: 'Back up without it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(accepted()).toEqual([{ set: 'Documents', folders: ['/home/anna/Documents/nas'] }]);
    await shown.setState({ ...HOME_STATES['folders are missing']!, runs: [RUNNING] });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await shown.close();
  });
});
