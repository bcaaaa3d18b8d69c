import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { chooseFolderNext } from './dialogs.ts';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { freshWindow, makePersonalFolder, shownPhrase } from './first-steps.ts';
import { Keyboard } from '../helpers/browser/keyboard.ts';

describe.skipIf(!ELECTRON)('keyboard', () => {
  let fixture: ElectronFixture | undefined;
  afterAll(() => fixture?.close());

  test('leads from onboarding to a backup and a restore, with a visible focus at every stop', async () => {
    const folder = makePersonalFolder(5);
    const opened = await freshWindow(folder);
    fixture = opened.fixture;
    const { page } = opened;
    const keyboard = new Keyboard(page);

    await page
      .getByText(/System disk/)
      .first()
      .waitFor();
    await keyboard.to(/disk|folder/);
    await keyboard.to(/System disk/, 'ArrowDown');
    await keyboard.key('Space');
    await keyboard.press(/^Test this destination/);
    await page.getByRole('button', { name: 'Use this destination' }).waitFor();
    await keyboard.press(/^Use this destination/);

    const words = await shownPhrase(page);
    await keyboard.press(/^I have written it down/);
    for (let asked = 0; asked < 2; asked += 1) {
      await keyboard.to(asked === 0 ? /^Word \d+/ : /^(?!Confirm)/);
      const number = /^Word (\d+)/.exec(await keyboard.name())?.[1];
      await keyboard.type(words[Number(number) - 1]!);
      await keyboard.key('Tab');
    }
    await keyboard.press(/^Confirm/);
    await page.getByText(/6 files/).waitFor();
    await keyboard.press(/^Start the first backup/);
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();

    await keyboard.press(/^Restore$/);
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    // A closed dialog returns the focus.
    await keyboard.press(/^Restore everything/);
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog.waitFor();
    await keyboard.key('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => keyboard.name(), { timeout: 90_000 }).toMatch(/^Restore everything/);

    await keyboard.key('Enter');
    await dialog.waitFor();
    const target = join(folder, 'back');
    mkdirSync(target);
    await chooseFolderNext(fixture, target);
    await keyboard.to(/^Put back where it was/);
    await keyboard.to(/^Another folder/, 'ArrowDown');
    await keyboard.press(/^Choose folder/);
    await page.getByText(new RegExp(target)).first().waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Start restoring' }).isEnabled()).toBe(true);
    await keyboard.press(/^Start restoring/);
    await page.getByRole('heading', { name: 'Restored' }).waitFor();
    await keyboard.press(/^Done/);
    await page.getByRole('row', { name: /Documents/ }).waitFor();

    const { status, stdout } = spawnSync('diff', ['-r', join(folder, 'Documents'), join(target, 'Documents')], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, '']);
  });
});
