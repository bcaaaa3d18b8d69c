import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { firstBackup, freshWindow, makePersonalFolder } from './first-steps.ts';

const LETTERS = 100;

describe.skipIf(!ELECTRON)('what a run changed, in Electron', () => {
  let folder: string;
  let fixture: ElectronFixture;
  let page: Page;

  const letter = (number: number): string => join(folder, `Documents/Letters/letter ${number}.txt`);

  beforeAll(async () => {
    folder = makePersonalFolder(7);
    mkdirSync(join(folder, 'Documents/Letters'));
    for (let number = 0; number < LETTERS; number += 1) writeFileSync(letter(number), `dear ${number}\n`.repeat(200));
    ({ fixture, page } = await freshWindow(folder));
    await firstBackup(page);
  });
  afterAll(() => fixture?.close());

  async function backUp(): Promise<void> {
    await page.getByRole('navigation').getByRole('button', { name: 'Home Protected' }).click();
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    await page
      .getByText(/Last backup just now/)
      .first()
      .waitFor();
  }

  test('is a tree that leads to the restore point', async () => {
    writeFileSync(join(folder, 'Documents/Letters/new.txt'), 'new');
    writeFileSync(letter(1), 'changed');
    rmSync(letter(2));
    await backUp();
    await page.getByRole('navigation').getByRole('button', { name: 'Activity' }).click();
    await expect.poll(() => page.locator('.act-row').count()).toBe(2);
    await page.locator('.act-row').first().click();
    await page
      .getByText(/1 added, 1 changed, 1 removed/)
      .first()
      .waitFor();
    const tree = page.getByRole('tree', { name: 'What changed' });
    await tree.focus();
    await page.keyboard.press('ArrowRight');
    for (const name of [/new\.txt.*added/, /letter 1\.txt.*changed/, /letter 2\.txt.*removed/]) {
      await tree.getByRole('treeitem', { name }).waitFor();
    }
    await page.getByRole('button', { name: 'Browse this restore point' }).click();
    await page.getByRole('heading', { name: 'Restore' }).waitFor();
  });

  test('is shown with a warning when it looks like ransomware, until a person confirms it', async () => {
    for (let number = 3; number < LETTERS; number += 1) writeFileSync(letter(number), randomBytes(2000));
    await backUp();
    await page
      .getByRole('heading', { name: /shows signs of ransomware/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'View the run' }).click();
    await page.getByText('Suspicious').waitFor();
    await page
      .getByText(/97 changed/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'I made these changes…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'I made these changes' }).click();
    await page.getByText('Suspicious').waitFor({ state: 'detached' });
    await page.locator('.act-head').getByText('Done, with warnings').waitFor();
    await page.getByRole('navigation').getByRole('button', { name: 'Home Protected' }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
  });
});
