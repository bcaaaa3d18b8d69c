import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseFolderNext } from './dialogs.ts';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { firstBackup, freshWindow, holdfast, makePersonalFolder } from './first-steps.ts';

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

describe.skipIf(!ELECTRON)('restore in Electron', () => {
  let folder: string;
  let fixture: ElectronFixture;
  let page: Page;
  const before = new Map<string, string>();
  const changed = 'Documents/Thesis/chapter 3.txt';

  beforeAll(async () => {
    folder = makePersonalFolder(5);
    ({ fixture, page } = await freshWindow(folder));
    await firstBackup(page);
    for (const name of [changed, 'Pictures/süß.jpg']) before.set(name, sha256(join(folder, name)));
    writeFileSync(join(folder, changed), 'rewritten');
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    await page.getByRole('button', { name: 'Restore' }).click();
  });
  afterAll(() => fixture?.close());

  test('restores a file and a folder of an earlier restore point, and keeps existing files', async () => {
    const target = join(folder, 'back');
    mkdirSync(target);
    writeFileSync(join(target, 'chapter 3.txt'), 'mine');

    const older = page.getByRole('button', { name: 'Older restore point' });
    await expect.poll(() => older.isEnabled(), { timeout: 90_000 }).toBe(true);
    await page.getByRole('button', { name: /^Restore point:/ }).click();
    await page.getByRole('grid', { name: /^Days with restore points/ }).waitFor();
    await page.getByRole('listbox', { name: 'Restore points, newest first' }).getByRole('option').nth(1).click();
    await expect.poll(() => older.isEnabled()).toBe(false);

    const rows = page.getByRole('grid', { name: 'Files in this restore point' });
    await rows.getByRole('row', { name: /Documents/ }).dblclick();
    await rows.getByRole('row', { name: /Thesis/ }).dblclick();
    await rows
      .getByRole('row', { name: /chapter 3\.txt/ })
      .getByRole('gridcell')
      .first()
      .click();
    await page.getByText(/1 file chosen/).waitFor();
    await page.getByRole('link', { name: 'All folders' }).click();
    await rows
      .getByRole('row', { name: /Pictures/ })
      .getByRole('gridcell')
      .first()
      .click();
    await page.getByText(/1 folder and 1 file chosen/).waitFor();

    await page.getByRole('button', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await chooseFolderNext(fixture, target);
    await dialog.getByText('Another folder').click();
    await dialog.getByRole('button', { name: 'Choose folder…' }).click();
    await dialog.getByText('One item already exists: the restored one gets a new name.').waitFor();
    await dialog.getByText('Keep the existing file').click();
    await dialog.getByText('One item already exists and is left unchanged.').waitFor();
    await dialog.getByText('Keep both').click();
    await dialog.getByText('One item already exists: the restored one gets a new name.').waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('heading', { name: 'Restored' }).waitFor();
    await page.getByText(new RegExp(`restored to ${target}\\.$`)).waitFor();

    expect(readFileSync(join(target, 'chapter 3.txt'), 'utf8')).toBe('mine');
    expect(sha256(join(target, 'Pictures/süß.jpg'))).toBe(before.get('Pictures/süß.jpg'));
    const names = readdirSync(target);
    const renamed = names.filter((name) => name !== 'chapter 3.txt' && name.startsWith('chapter 3'));
    expect([names.length, renamed.length]).toEqual([3, 1]);
    expect(sha256(join(target, renamed[0]!))).toBe(before.get(changed));
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Restore everything…' }).waitFor();
  });

  test('puts a folder back where it was, and keeps the version that it replaces', async () => {
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /^Restore/ })
      .click();
    const lost = join(folder, 'Pictures/süß.jpg');
    const overwritten = join(folder, 'Documents/Thesis/chapter 3.txt');
    rmSync(lost);
    writeFileSync(overwritten, 'by mistake');
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog
      .getByText(/2 files/)
      .first()
      .waitFor();
    await dialog.getByText('Replace it').click();
    await dialog.getByText(/One item has changed and will be replaced\. Its current version is kept\./).waitFor();
    await dialog.getByText(/It was changed after this backup\./).waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByText(/What was replaced or moved is in/).waitFor();
    for (const [name, digest] of before) expect(sha256(join(folder, name))).toBe(digest);
    const sentence = await page.getByText(/What was replaced or moved is in/).textContent();
    const keptIn = /is in (.*)\.$/.exec(sentence!)![1]!;
    expect(readFileSync(join(keptIn, 'Documents/Thesis/chapter 3.txt'), 'utf8')).toBe('by mistake');
    await page.getByRole('button', { name: 'Done' }).click();
  });

  test('finds a lost file by a part of its name, and puts it back', async () => {
    rmSync(join(folder, 'Pictures/süß.jpg'));
    await page.getByRole('searchbox', { name: 'Find in all backups' }).fill('SÜSS');
    const row = page.getByRole('list', { name: 'Found in your backups' }).getByRole('listitem');
    await row
      .filter({ hasText: 'süß.jpg' })
      .getByRole('button', { name: /^Restore/ })
      .click();
    await page.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(sha256(join(folder, 'Pictures/süß.jpg'))).toBe(before.get('Pictures/süß.jpg'));
    await row.first().waitFor();
    await page.getByRole('searchbox', { name: 'Find in all backups' }).fill('');
    await page.getByRole('button', { name: 'Restore everything…' }).waitFor();
  });

  test('names the destination where a backup failed, notifies once, and tries again only there', async () => {
    const second = join(folder, 'second');
    const destination = { kind: 'folder', path: second };
    await fixture.ask('destinations.add', { choice: destination, name: 'Second', schedule: 'manual' });
    const noticed = await notificationsOf(fixture);
    const home = page.getByRole('navigation').getByRole('button', { name: /^Home/ });
    const needs = page.getByRole('region', { name: 'To do' });
    const rows = page.getByRole('region', { name: 'Destinations' }).getByRole('listitem');
    const there = rows.filter({ hasText: 'Second' });
    const points = async (): Promise<readonly number[]> => [await pointsAt(0), await pointsAt(1)];
    const pointsAt = async (index: number): Promise<number> => {
      const { destinations } = JSON.parse(await holdfast(folder, 'destination', 'list', '--json'));
      const words = ['points', 'My files', '--destination', destinations[index].name, '--json'];
      return JSON.parse(await holdfast(folder, ...words)).points.length;
    };
    await home.click();
    await needs.getByRole('heading', { name: '“My files” is not backed up to “Second” yet.' }).waitFor();
    await needs.getByRole('button', { name: 'Back up now' }).click();
    await there.getByText('Up to date').waitFor();
    expect(await points()).toEqual([2, 1]);

    renameSync(second, `${second} away`);
    writeFileSync(second, 'a file in its place');
    writeFileSync(join(folder, changed), 'rewritten again');
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    await needs.getByRole('heading', { name: '“Second” is not connected.' }).waitFor();
    await there.getByText('Not connected').waitFor();
    await rows.filter({ hasNotText: 'Second' }).getByText('Up to date').waitFor();
    await expect.poll(noticed).toEqual(['The backup of “My files” to “Second” failed']);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Destination' }).click();
    await there.getByText('Not connected').waitFor();

    await page.getByRole('button', { name: 'Activity' }).click();
    const failed = page.getByRole('main').getByText(/^Failed · Second/);
    await expect.poll(() => failed.count()).toBe(1);
    await home.click();
    await needs.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Activity' }).click();
    await expect.poll(() => failed.count(), { timeout: 90_000 }).toBe(2);
    expect(await noticed()).toHaveLength(1);
    rmSync(second);
    renameSync(`${second} away`, second);
    expect(await points()).toEqual([3, 1]);
  });
});

/** Records the titles of the system's notifications instead of showing them. Returns a reader. */
async function notificationsOf({ app }: ElectronFixture): Promise<() => Promise<readonly string[]>> {
  await app.evaluate(({ Notification }) => {
    const recorded = globalThis as unknown as { notifications: string[] };
    recorded.notifications = [];
    Notification.isSupported = () => true;
    Notification.prototype.show = function show() {
      recorded.notifications.push(this.title);
    };
  });
  return () => app.evaluate(() => (globalThis as unknown as { notifications: string[] }).notifications);
}
