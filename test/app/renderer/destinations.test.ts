import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState, ConfiguredDestination } from '../../../src/ipc/state.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { onboardingAnswers } from './onboarding-answers.ts';
import { BACKUP_DISK, BUCKET, NAS, NOW, PROTECTED, SERVICE, SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

/** Folder for screenshots, for people to look at. */
const LOOKS = process.env['HOLDFAST_LOOKS'];
const FORMER = { kind: 'folder', name: 'Old disk', location: '/media/anna/Old disk/holdfast', leftAt: NOW } as const;
const VALUES = [
  'Anna’s laptop',
  'Backup disk',
  'photos-of-anna',
  'nas.local',
  's3://photos-of-anna/holdfast',
  'sftp://anna@nas.local/~/Holdfast',
  /\/(media|home)\/[\w/ ]+/,
];

describe.skipIf(CHROMIUM === undefined)('several destinations in the settings', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  }, 120_000);
  afterAll(() => pages?.close());

  async function settings(change: Answers = {}, state: AppState = SEVERAL, options: PageOptions = {}) {
    const answers = { 'destination.former': () => ({ destinations: [FORMER] }), ...change };
    const shown = await pages.show(state, onboardingAnswers(answers), options);
    await shown.page.getByRole('button', { name: /^(Settings|Einstellungen)$/ }).click();
    await shown.page.getByRole('tab', { name: /^(Destination|Ziel)$/ }).click();
    return shown;
  }

  async function choose({ page }: ShownWindow, name: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for “${name}”` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  }

  async function look({ page }: ShownWindow, name: string): Promise<void> {
    if (LOOKS === undefined) return;
    mkdirSync(LOOKS, { recursive: true });
    await page.screenshot({ path: join(LOOKS, `${name}.png`) });
  }

  test('fit everywhere, with their dialogs', async () => {
    const shown = await settings();
    await shown.page.getByRole('heading', { name: 'Destinations' }).waitFor();
    await expectSoundEverywhere(shown, SEVERAL, VALUES);
    await shown.close();
    for (const [colorScheme, width, height] of [
      ['light', 800, 560],
      ['dark', 1280, 900],
    ] as const) {
      const plain = await settings({}, SEVERAL, { colorScheme, width, height });
      await plain.page.getByRole('heading', { name: 'Destinations' }).waitFor();
      await look(plain, `destinations-${colorScheme}`);
      await plain.page.getByRole('button', { name: 'Actions for “photos-of-anna”' }).click();
      await plain.page.getByRole('menuitem', { name: 'Remove…' }).waitFor();
      await look(plain, `destinations-menu-${colorScheme}`);
      await plain.page.keyboard.press('Escape');
      for (const action of ['Rename…', 'Schedule…', 'Remove…']) {
        await choose(plain, 'photos-of-anna', action);
        await plain.page.getByRole('dialog').waitFor();
        expect(await plain.faults()).toEqual([]);
        await look(plain, `destinations-${action.slice(0, -1).toLowerCase()}-${colorScheme}`);
        await plain.page.keyboard.press('Escape');
        await plain.page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await plain.close();
    }
  });

  test('are listed with their place, their state and their own schedule', async () => {
    const shown = await settings();
    const rows = shown.page.getByRole('region', { name: 'Destinations' }).getByRole('listitem');
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(texts[0]).toMatch(
      /^Backup disk Up to date Folder · \/media\/anna\/Backup disk\/holdfast · Parity: 10 % Last backup 1\d minutes/,
    );
    expect(texts[1]).toMatch(/^photos-of-anna Up to date Bucket · s3:\S+ Own schedule: .*20:00 Last/i);
    expect(texts[2]).toMatch(/^nas\.local No backup yet SSH server · sftp:\S+ Next backup/);
    await shown.close();
  });

  test('are checked and repaired each by itself', async () => {
    const shown = await settings({ 'runs.check': () => ({ run: 3 }), 'runs.repair': () => ({ run: 4 }) });
    const { page } = shown;
    await choose(shown, 'nas.local', 'Check…');
    await page.getByRole('dialog', { name: 'Check “nas.local”' }).getByRole('button', { name: 'Check' }).click();
    await expect.poll(() => callsOf(shown, 'runs.check')).toEqual([{ destination: NAS.id }]);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Destination' }).click();
    await choose(shown, 'photos-of-anna', 'Repair…');
    await page
      .getByRole('dialog', { name: 'Repair “photos-of-anna”?' })
      .getByRole('button', { name: 'Repair' })
      .click();
    await expect.poll(() => callsOf(shown, 'runs.repair')).toEqual([{ destination: BUCKET.id }]);
    await shown.close();
  });

  test('name the service that this computer is signed out of', async () => {
    const cloud: ConfiguredDestination = { ...SERVICE, id: '3d4e5f60', name: 'Cloud', sets: NAS.sets };
    const state: AppState = {
      ...SEVERAL,
      destinations: [SERVICE, cloud],
      needs: [{ kind: 'signed-out', destination: { id: cloud.id, name: cloud.name } }],
    };
    const answers: Answers = {
      'account.show': () => ({ signsInBy: 'person' }),
      'account.ways': () => ({ password: true, provider: false, hasSessions: false }),
      'account.sign-in': () => ({ kind: 'signed-in', email: 'anna@example.org' }),
      'account.sign-in-again': () => ({}),
      'account.leave': () => ({}),
    };
    const shown = await settings(answers, state);
    const { page } = shown;
    await page.getByRole('alert').getByText('You are signed out of “Cloud”').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click();
    await page.getByLabel('E-mail address').fill('anna@example.org');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => callsOf(shown, 'account.sign-in-again')).toEqual([{ destination: cloud.id }]);
    expect(callsOf(shown, 'account.sign-in')).toMatchObject([{ destination: cloud.id }]);
    await shown.close();
  });

  test('one more is added after its test, and its first backup starts', async () => {
    const added: unknown[] = [];
    const shown = await settings(
      {
        'destinations.add': (input) => {
          added.push(input);
          return { id: BUCKET.id, name: 'Backup disk 2', isContinued: added.length > 1 };
        },
        'runs.backup': () => ({ run: 3 }),
      },
      PROTECTED,
    );
    const { page } = shown;
    await page.getByText(/The recovery phrase stays the same, and the first backup there sends everything\./).waitFor();
    for (const message of ['Backups now go to “Backup disk 2”, too.', /continue the earlier ones there\.$/]) {
      await page.getByRole('button', { name: 'Add another destination…' }).click();
      await page.locator('.first').getByText('Backup disk').click();
      await page.locator('.first-foot button[type=submit]').click();
      await page.getByText('The recovery phrase is the same for all of your backups.').waitFor();
      await page.getByText('The first backup here sends everything, about 12.4 GB.').waitFor();
      expect(await shown.faults()).toEqual([]);
      await look(shown, 'destination-add');
      await page.getByRole('button', { name: 'Add destination' }).click();
      await page.getByText(message).waitFor();
      // The state with one more destination keeps the message.
      await shown.setState(SEVERAL);
      await page.getByText(message).waitFor();
      await shown.setState(PROTECTED);
    }
    const destination = { kind: 'folder', path: '/media/anna/Backup disk' };
    expect(added).toEqual([{ choice: destination }, { choice: destination }]);
    expect(callsOf(shown, 'runs.backup')).toEqual([{ set: 'Documents' }, { set: 'Documents' }]);
    expect(shown.errors).toEqual([]);
    await shown.close();
  });

  test('one that is refused shows the reason', async () => {
    const shown = await settings({
      'destinations.add': () => {
        throw new HoldfastError('phrase_other_account');
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Add another destination…' }).click();
    await page.locator('.first').getByText('Backup disk').click();
    await page.locator('.first-foot button[type=submit]').click();
    await page.getByRole('button', { name: 'Add destination' }).click();
    await page.getByRole('alert').waitFor();
    expect(callsOf(shown, 'runs.backup')).toEqual([]);
    await shown.close();
  });

  test('one is renamed; a taken name is reported', async () => {
    let isTaken = true;
    const shown = await settings({
      'destinations.change': () => {
        if (isTaken) throw new HoldfastError('destination_exists', { destination: 'Backup disk' });
        return {};
      },
    });
    await choose(shown, 'photos-of-anna', 'Rename…');
    const dialog = shown.page.getByRole('dialog');
    const field = dialog.getByLabel('Name');
    expect(await field.inputValue()).toBe('photos-of-anna');
    await field.fill(' ');
    expect(await dialog.getByRole('button', { name: 'Rename' }).isDisabled()).toBe(true);
    await field.fill(' Bucket ');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByRole('alert').waitFor();
    isTaken = false;
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.waitFor({ state: 'detached' });
    const renamed = { destination: BUCKET.id, name: 'Bucket' };
    expect(callsOf(shown, 'destinations.change')).toEqual([renamed, renamed]);
    await shown.close();
  });

  test('one is left to backups by hand, and gets the schedules of the sets again', async () => {
    const shown = await settings({ 'destinations.change': () => ({}) });
    const dialog = shown.page.getByRole('dialog');
    await choose(shown, 'nas.local', 'Schedule…');
    expect(
      await dialog
        .getByRole('radio', { name: 'Same as the backup sets Each set is backed up there on its own schedule.' })
        .isChecked(),
    ).toBe(true);
    await dialog.getByText('Manually').click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await choose(shown, 'photos-of-anna', 'Schedule…');
    await dialog.getByText('Same as the backup sets').click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await choose(shown, 'nas.local', 'Schedule…');
    await dialog.getByText('On its own schedule').click();
    await dialog.getByRole('button', { name: /Every day$/ }).click();
    await shown.page.getByRole('option', { name: 'At intervals' }).click();
    await dialog.getByText('Backs up every hour.').waitFor();
    expect(await shown.faults()).toEqual([]);
    await look(shown, 'destinations-schedule-own');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(callsOf(shown, 'destinations.change')).toEqual([
      { destination: NAS.id, schedule: 'manual' },
      { destination: BUCKET.id, schedule: null },
      { destination: NAS.id, schedule: 'hourly' },
    ]);
    await shown.close();
  });

  test('one is removed after its backups are said to stay', async () => {
    const shown = await settings({ 'destinations.remove': () => ({}) });
    await choose(shown, 'nas.local', 'Remove…');
    const dialog = shown.page.getByRole('dialog');
    await dialog.getByText(`New backups no longer go to ${NAS.location}. The backups there stay.`).waitFor();
    await dialog
      .getByText('To use it again later, add the same destination. Its backups are then continued.')
      .waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(callsOf(shown, 'destinations.remove')).toEqual([{ destination: NAS.id }]);
    await shown.close();
  });

  test('the chosen one is looked for elsewhere, replaced, and replaced by an earlier one', async () => {
    const shown = await settings({
      'shell.choose-folder': () => ({ path: '/mnt/moved' }),
      'destination.move': () => ({}),
      'destination.begin': () => ({}),
      'destination.return': () => ({}),
    });
    const { page } = shown;
    await choose(shown, 'Backup disk', 'Locate moved backups…');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.locator('.first-foot button[type=submit]').click();
    await page.getByText('Your backups go here now.').waitFor();
    await choose(shown, 'nas.local', 'Change destination…');
    await page.locator('.first').getByText('Backup disk').click();
    await page.locator('.first-foot button[type=submit]').click();
    await page.getByText(`The backups at ${NAS.location} stay there, and you can switch back to them.`).waitFor();
    await page.getByRole('button', { name: 'Start here' }).click();
    await page.locator('.first').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Switch back to ${FORMER.location}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/instead of “Backup disk”/).waitFor();
    await dialog.getByRole('button', { name: 'Replaces Backup disk' }).click();
    await page.getByRole('option', { name: 'photos-of-anna' }).click();
    await dialog.getByText(/instead of “photos-of-anna”/).waitFor();
    await dialog.getByRole('button', { name: 'Switch back' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(callsOf(shown, 'destination.move')).toEqual([
      { choice: { kind: 'folder', path: '/mnt/moved' }, destination: BACKUP_DISK.id },
    ]);
    expect(callsOf(shown, 'destination.begin')).toEqual([
      { choice: { kind: 'folder', path: '/media/anna/Backup disk' }, destination: NAS.id },
    ]);
    expect(callsOf(shown, 'destination.return')).toEqual([{ leftAt: FORMER.leftAt, destination: BUCKET.id }]);
    await shown.close();
  });

  test('the one with another host key is named, and its keys are compared', async () => {
    const [old, presented] = [`SHA256:${'A'.repeat(43)}`, `SHA256:${'B'.repeat(43)}`];
    const failure = { code: 'service_unreachable', details: { address: NAS.location, reason: 'host-key' } } as const;
    const nas = { ...NAS, sets: [{ ...NAS.sets[0]!, state: 'failed' as const, failure }] };
    const shown = await settings(
      {
        'destination.host-key': () => ({ address: NAS.location, accepted: old, presented }),
        'destination.accept-host-key': () => ({}),
        'runs.backup': () => ({ run: 3 }),
      },
      { ...SEVERAL, destinations: [BACKUP_DISK, nas] },
    );
    const { page } = shown;
    await page.getByText(/nas\.local:/).waitFor();
    await page.getByRole('button', { name: 'Compare keys…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept the new key' }).click();
    await expect.poll(() => callsOf(shown, 'runs.backup')).toEqual([{ set: 'Documents', destination: NAS.id }]);
    expect(callsOf(shown, 'destination.host-key')[0]).toEqual({ destination: NAS.id });
    expect(callsOf(shown, 'destination.accept-host-key')).toEqual([{ destination: NAS.id, fingerprint: presented }]);
    await shown.close();
  });

  test('show the folder of a disk', async () => {
    const shown = await settings({ 'shell.show-path': () => ({}) });
    await choose(shown, 'Backup disk', 'Show folder');
    await expect.poll(() => callsOf(shown, 'shell.show-path')).toEqual([{ path: BACKUP_DISK.location }]);
    await shown.close();
  });
});
