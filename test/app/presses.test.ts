import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ClockFixture } from './clock-fixture.ts';
import { ELECTRON } from './electron-fixture.ts';
import { firstBackup } from './first-steps.ts';

const DAY = 24 * 3_600_000;

/** Counts presses of the mouse. Typing is none, and neither is opening the program. */
class Presses {
  count = 0;

  async on(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }
}

describe.skipIf(!ELECTRON)('the presses that get files back, from Home', () => {
  let clock: ClockFixture;
  let page: Page;
  let thesis: string;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-app-'));
    thesis = join(folder, 'Documents/Thesis');
    mkdirSync(thesis, { recursive: true });
    writeFileSync(join(thesis, 'notes.txt'), 'as it was yesterday\n');
    clock = await ClockFixture.open(folder);
    page = await clock.electron.window();
    page.setDefaultTimeout(90_000);
    await clock.sleepUntil(Date.now() - DAY);
    await firstBackup(page);
    writeFileSync(join(thesis, 'notes.txt'), 'as it is today\n');
    writeFileSync(join(thesis, 'new.txt'), 'written today\n');
    // The backups that were due meanwhile are one.
    await clock.sleepUntil(Date.now());
    await vi.waitUntil(async () => (await pointsOf(clock)) === 2, { timeout: 90_000 });
  });
  afterAll(() => clock?.close());

  test('a lost version is found by a part of its name and put beside the present file by four', async () => {
    const presses = new Presses();
    await page.keyboard.type('otes');
    await presses.on(page.getByRole('button', { name: '“notes.txt”: look at 2 versions' }));
    const dialog = page.getByRole('dialog', { name: 'notes.txt' });
    await dialog.getByText('as it is today').waitFor();
    await presses.on(dialog.getByRole('option').last());
    await dialog.getByText('as it was yesterday').waitFor();
    await presses.on(dialog.getByRole('button', { name: 'Restore beside the current file…' }));
    await presses.on(page.getByRole('dialog', { name: 'Restore' }).getByRole('button', { name: 'Start restoring' }));
    await page.getByRole('heading', { name: 'Restored' }).waitFor();
    expect(presses.count).toBe(4);
    expect(readFileSync(join(thesis, 'notes.txt'), 'utf8')).toBe('as it is today\n');
    const beside = readdirSync(thesis).filter((name) => name.startsWith('notes') && name !== 'notes.txt');
    expect(beside.map((name) => readFileSync(join(thesis, name), 'utf8'))).toEqual(['as it was yesterday\n']);
    await page.getByRole('button', { name: 'Done' }).click();
  });

  test('a folder goes back to yesterday, and that is undone, by five', async () => {
    const before = readdirSync(thesis);
    await page.getByRole('searchbox', { name: 'Find in all backups' }).fill('');
    await page.getByRole('navigation').getByRole('button', { name: /^Home/ }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    const presses = new Presses();
    await page.keyboard.type('thesis');
    await presses.on(page.getByRole('button', { name: /^Restore “Thesis”/ }));
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await presses.on(dialog.getByText(/^Yesterday/));
    await presses.on(dialog.getByText('Make the folder exactly as it was'));
    await presses.on(dialog.getByRole('button', { name: 'Start restoring' }));
    await page.getByRole('heading', { name: 'Restored' }).waitFor();
    expect(readdirSync(thesis)).toEqual(['notes.txt']);
    expect(readFileSync(join(thesis, 'notes.txt'), 'utf8')).toBe('as it was yesterday\n');
    await presses.on(page.getByRole('button', { name: 'Undo restore' }));
    await page.getByText('The restore is undone.').waitFor();
    expect(presses.count).toBe(5);
    expect(readFileSync(join(thesis, 'notes.txt'), 'utf8')).toBe('as it is today\n');
    expect(readdirSync(thesis)).toEqual(expect.arrayContaining(before));
  });
});

/** The number of restore points. */
async function pointsOf({ electron }: ClockFixture): Promise<number> {
  const answer = await electron.ask('restore.points', { set: 'My files' });
  return (answer as { readonly value: { readonly points: readonly unknown[] } }).value.points.length;
}
