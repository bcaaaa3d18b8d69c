import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { callsOf } from './keyboard.ts';
import { POINTS, restoreAnswers } from './restore-answers.ts';
import { setsAnswers } from './sets-answers.ts';
import { BACKUP_DISK, DOCUMENTS, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages, type Answers } from './window-page.ts';

const MOUNT = {
  id: 3,
  set: 'Documents',
  folder: '/home/anna/x/mounts/Documents',
  since: NOW,
  isEnding: false,
  isBusy: false,
};

const abilities: Answers = {
  'shell.abilities': () => ({
    startAtLogin: true,
    fileManagers: true,
    tray: true,
    notifications: true,
    platform: 'linux',
    locale: 'en-GB',
  }),
};

describe.skipIf(CHROMIUM === undefined)('what leaves the window', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('Home shows what a resumed restore brought back, until that is dismissed', async () => {
    const resumedRestore = {
      run: 41,
      set: 'Documents',
      outcome: 'succeeded',
      endedAt: NOW - 60_000,
      files: 120,
      bytes: 34_000_000,
      filesFailed: 0,
      to: null,
    } as const;
    const state: AppState = { ...PROTECTED, resumedRestore };
    const shown = await pages.show(state, { 'preferences.save': () => ({}) });
    const { page } = shown;
    await page.getByText('The restore of “Documents” went on after the interruption and has finished.').waitFor();
    await page.getByText('120 files (34 MB) restored to their original places.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect
      .poll(() => callsOf(shown, 'preferences.save').at(-1))
      .toMatchObject({ preferences: { dismissedRestore: 41 } });
    await shown.setState({ ...state, resumedRestore: { ...resumedRestore, outcome: 'failed', filesFailed: 2 } });
    await page.getByText(/2 files could not be restored\./).waitFor();
    expect(await page.getByRole('button', { name: 'Show in file manager' }).count()).toBe(0);
    await shown.setState({ ...state, resumedRestore: { ...resumedRestore, to: '/home/anna/back' } });
    await page.getByRole('button', { name: 'Show in file manager' }).click();
    await expect.poll(() => callsOf(shown, 'shell.show-path').at(-1)).toEqual({ path: '/home/anna/back' });
    await shown.close();
  });

  test('Home shows a mount with the button that closes it, also while a program uses it', async () => {
    const shown = await pages.show({ ...PROTECTED, mounts: [MOUNT] }, { 'mounts.end': () => ({}) });
    const { page } = shown;
    await page.getByText(MOUNT.folder).waitFor();
    await page.getByRole('button', { name: 'Close “Documents”' }).click();
    await expect.poll(() => callsOf(shown, 'mounts.end').at(-1)).toEqual({ id: 3, detaches: false });
    await shown.setState({ ...PROTECTED, mounts: [{ ...MOUNT, isEnding: true, isBusy: true }] });
    await page.getByRole('button', { name: 'Close “Documents” anyway' }).click();
    await expect.poll(() => callsOf(shown, 'mounts.end').at(-1)).toEqual({ id: 3, detaches: true });
    await shown.close();
  });

  test('mounts leave the rows of Restore above their buttons in a small window', async () => {
    const mounts = [MOUNT, { ...MOUNT, id: 4, set: 'Photos' }, { ...MOUNT, id: 5, set: 'Music' }];
    const shown = await pages.show({ ...PROTECTED, mounts }, restoreAnswers(abilities), { width: 720, height: 520 });
    const { page } = shown;
    await page.getByRole('navigation').getByRole('button', { name: 'Restore' }).click();
    const rows = await page.getByRole('grid', { name: 'Files in this restore point' }).boundingBox();
    const button = await page.getByRole('button', { name: 'Restore everything…' }).boundingBox();
    expect(rows!.y + rows!.height).toBeLessThanOrEqual(button!.y);
    await shown.close();
  });

  test('Home leads from the storage to what fewer restore points would free', async () => {
    const shown = await pages.show(PROTECTED, {
      'sets.retention': () => ({ policy: {} }),
      'sets.retention.preview': () => ({ kept: 9, dropped: [], freedBytes: 1_234_000_000 }),
    });
    await shown.page.getByText('Keeping fewer old restore points of “Documents” would free 1.23 GB.').waitFor();
    await shown.page.getByRole('button', { name: 'Choose what to keep…' }).waitFor();
    // A small part of what is stored is not worth a sentence.
    await shown.setState({ ...PROTECTED, storage: { ...PROTECTED.storage, storedBytes: 900_000_000_000 } });
    await shown.page.getByText(/Keeping fewer old restore points/).waitFor({ state: 'detached' });
    await shown.close();
  });

  test('Home asks what a retention would free again only after a restore point or a saved set', async () => {
    let policy = {};
    const shown = await pages.show(
      PROTECTED,
      setsAnswers({
        'sets.retention': () => ({ policy }),
        'sets.retention.preview': () => ({ kept: 9, dropped: [], freedBytes: 1_234_000_000 }),
      }),
    );
    const { page } = shown;
    const line = page.getByText(/Keeping fewer old restore points/);
    const asked = (): number => callsOf(shown, 'sets.retention').length;
    const comeBack = async (): Promise<void> => {
      const go = (name: string | RegExp): Promise<void> =>
        page.getByRole('navigation').getByRole('button', { name }).click();
      await go('Devices');
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
      await go(/^Home/);
      await line.waitFor();
    };
    await line.waitFor();
    await comeBack();
    expect(asked()).toBe(1);
    const later = { ...DOCUMENTS, lastPoint: { ...DOCUMENTS.lastPoint!, at: NOW - 1_000 } };
    await shown.setState({ ...PROTECTED, sets: [later] });
    await expect.poll(asked).toBe(2);
    await comeBack();
    expect(asked()).toBe(2);
    await page.getByRole('button', { name: 'Choose what to keep…' }).click();
    await page.getByRole('radio', { name: /^Thin out/ }).check({ force: true });
    const before = asked();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    await comeBack();
    expect(asked()).toBe(before + 1);
    // The command line may have given the set a policy while another program had the focus.
    const previews = callsOf(shown, 'sets.retention.preview').length;
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await expect.poll(asked).toBe(before + 2);
    expect(callsOf(shown, 'sets.retention.preview')).toHaveLength(previews);
    policy = { daily: 7 };
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await line.waitFor({ state: 'detached' });
    await shown.close();
  });

  test('each view offers a way out when the backups are not where they were', async () => {
    const directory = '/media/anna/Backup disk';
    const failure = { code: 'destination_missing', details: { directory } } as const;
    const needs: AppState['needs'] = [{ kind: 'failed', set: 'Documents', failure, at: NOW }];
    const away = (): never => {
      throw new HoldfastError('destination_missing', { directory });
    };
    const destinations = [{ ...BACKUP_DISK, location: directory, isAtHand: false }];
    const state: AppState = { ...PROTECTED, health: 'attention', needs, destinations };
    const shown = await pages.show(
      state,
      restoreAnswers({
        'restore.sources': away,
        'devices.list': away,
        ...setsAnswers({ 'sets.retention': away }),
      }),
    );
    const { page } = shown;
    const go = (name: string): Promise<void> => page.getByRole('navigation').getByRole('button', { name }).click();
    await go('Restore');
    await page
      .getByRole('alert')
      .getByText(new RegExp(`^${directory} `))
      .waitFor();
    await page.getByRole('button', { name: 'Locate backups…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await go('Devices');
    await page.getByRole('alert').getByRole('button', { name: 'Locate backups…' }).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Use another disk…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await go('Backup sets');
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await page.getByRole('tab', { name: /^Keep/ }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Locate backups…' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await go('Settings');
    await page.getByRole('tab', { name: 'Destination' }).click();
    await page
      .getByRole('tabpanel')
      .getByText(new RegExp(`${directory} cannot be found`))
      .waitFor();
    // The failure of the last run is not told as the present.
    await shown.setState({ ...state, destinations: [{ ...destinations[0]!, isAtHand: true }] });
    await page
      .getByRole('tabpanel')
      .getByText(/cannot be found/)
      .waitFor({ state: 'detached' });
    await shown.close();
  });

  test('Home says nothing of missed schedules where there is none, and offers one', async () => {
    const needs: AppState['needs'] = [
      { kind: 'no-backup-for', set: 'Documents', days: 5 },
      { kind: 'no-backup-for', set: 'Photos', days: 6 },
    ];
    const sets = [{ ...DOCUMENTS, schedule: 'manual', decision: { kind: 'manual' as const } }];
    const shown = await pages.show({ ...PROTECTED, health: 'at-risk', needs, sets }, {});
    const { page } = shown;
    await page.getByText(/It is backed up only when you start it\./).waitFor();
    await page.getByRole('button', { name: 'Choose a schedule…' }).waitFor();
    // Each card says what it is about.
    await expect
      .poll(() => page.getByRole('heading', { level: 2, name: /^No backup of “Documents”/ }).isVisible())
      .toBe(true);
    await shown.close();
  });

  test('Restore saves an archive of the current row or of everything, and opens a restore point in the file manager', async () => {
    const { restorePoint } = POINTS[0]!;
    const shown = await pages.show(
      PROTECTED,
      restoreAnswers({
        ...abilities,
        'shell.export': () => ({}),
        'mounts.begin': () => ({ mount: MOUNT }),
        'shell.open-mount': () => ({}),
      }),
    );
    const { page } = shown;
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /^Restore/ })
      .click();
    const ways = page.getByRole('button', { name: 'More ways to get files' });
    await ways.click();
    await page.getByRole('menuitem', { name: /^Save “.*Documents.*” as archive…$/ }).click();
    await expect
      .poll(() => callsOf(shown, 'shell.export').at(-1))
      .toMatchObject({ set: 'Documents', at: Date.parse(restorePoint), paths: [expect.stringMatching(/Documents$/)] });
    await ways.click();
    await page.getByRole('menuitem', { name: 'Save everything as archive…' }).click();
    await expect
      .poll(() => callsOf(shown, 'shell.export').at(-1))
      .toMatchObject({
        set: 'Documents',
        at: Date.parse(restorePoint),
        paths: [],
        name: expect.stringMatching(/^Documents /),
      });
    await page.getByRole('grid', { name: 'Files in this restore point' }).press(' ');
    await ways.click();
    await page.getByRole('menuitem', { name: 'Save as archive…' }).click();
    await expect.poll(() => callsOf(shown, 'shell.export').at(-1)).toMatchObject({ paths: [expect.anything()] });
    await ways.click();
    await page.getByRole('menuitem', { name: 'Open in the file manager' }).click();
    await expect.poll(() => callsOf(shown, 'shell.open-mount').at(-1)).toEqual({ mount: 3, restorePoint });
    await shown.close();
  });
});
