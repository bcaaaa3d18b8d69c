import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wrongUsage } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { IS_THOROUGH } from '../../helpers/thorough.ts';
import { onboardingAnswers } from './onboarding-answers.ts';
import { BACKUP_DISK, DOCUMENTS, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

/** Folder for screenshots, for people to look at. */
const APPEARANCES = process.env['HOLDFAST_LOOKS'];
const FORMER = {
  kind: 'folder',
  location: '/media/anna/Old disk/holdfast',
  name: 'Old disk',
  leftAt: NOW - 86_400_000,
} as const;
type Size = readonly [colorScheme: 'light' | 'dark', width: number, height: number, locale: 'en-GB' | 'de-DE'];
/** The smallest window with the longest words; each is examined in both schemes. */
const SIZES: readonly Size[] = [
  ['light', 720, 520, 'de-DE'],
  ...(IS_THOROUGH
    ? ([
        ['light', 720, 520, 'en-GB'],
        ['dark', 1280, 800, 'de-DE'],
      ] as const)
    : []),
];

describe.skipIf(!CHROMIUM)('change of destination', () => {
  let pages: WindowPages;
  let shown: ShownWindow | undefined;
  beforeAll(async () => {
    pages = await WindowPages.open();
  }, 120_000);
  afterAll(() => pages?.close());

  async function settings(change: Answers = {}, options: PageOptions = {}, state: AppState = PROTECTED) {
    await shown?.close();
    const answers = { 'destination.former': () => ({ destinations: [FORMER] }), ...change };
    const window = await pages.show(state, onboardingAnswers(answers), { width: 720, height: 520, ...options });
    shown = window;
    const isGerman = options.locale === 'de-DE';
    await window.page.getByRole('button', { name: isGerman ? 'Einstellungen' : 'Settings' }).click();
    await window.page.getByRole('tab', { name: isGerman ? 'Ziel' : 'Destination' }).click();
    return window;
  }

  async function look({ page, faults, overflow }: Look, name: string): Promise<void> {
    expect(await faults()).toEqual([]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    if (APPEARANCES === undefined) return;
    mkdirSync(APPEARANCES, { recursive: true });
    await page.screenshot({ path: join(APPEARANCES, `${name}.png`) });
  }

  test.each(SIZES)(
    'tests and summarizes the new destination before the change, %s at %d×%d',
    async (colorScheme, width, height, locale) => {
      const begun: unknown[] = [];
      const window = await settings(
        {
          'destination.begin': ({ choice }) => {
            begun.push(choice);
            return {};
          },
        },
        { colorScheme, width, height, locale },
      );
      const { page } = window;
      const isGerman = locale === 'de-DE';
      const looked = { page, faults: () => window.faultsInBothSchemes(), overflow: () => window.overflow() };
      await page
        .getByRole('button', { name: isGerman ? 'Ziel wechseln …' : 'Change destination…' })
        .scrollIntoViewIfNeeded();
      await look(looked, `destination-settings-${colorScheme}`);
      await page.getByRole('button', { name: isGerman ? 'Ziel wechseln …' : 'Change destination…' }).click();
      await page.getByText('Backup disk').click();
      await look(looked, `destination-choice-${colorScheme}`);
      await page.locator('.first-foot button[type=submit]').click();
      await page.getByText(isGerman ? /etwa 12,4\sGB/ : /about 12\.4\sGB/).waitFor();
      await look(looked, `destination-begin-${colorScheme}`);
      await page.locator('.first-foot button[type=submit]').click();
      await page.locator('.first').waitFor({ state: 'detached' });
      await page.getByText(isGerman ? 'Deine Sicherungen gehen jetzt hierhin.' : 'Your backups go here now.').waitFor();
      expect(begun).toEqual([{ kind: 'folder', path: '/media/anna/Backup disk' }]);
      // The destination is empty, so the first backup starts immediately.
      expect(window.calls.filter(({ name }) => name === 'runs.backup').map(({ input }) => input)).toEqual([
        { set: 'Documents' },
      ]);
      expect(window.errors).toEqual([]);
    },
  );

  test('signs in first when the new destination is a service', async () => {
    const begun: unknown[] = [];
    const { page } = await settings({
      'destination.begin': ({ choice }) => {
        begun.push(choice);
        return {};
      },
    });
    await page.getByRole('button', { name: 'Change destination…' }).click();
    await page.getByText('A Holdfast service').click();
    await page.getByLabel('Address of the service').fill('https://backup.example.org');
    await page.locator('.first-foot button[type=submit]').click();
    await page.getByLabel('E-mail address').fill('anna@example.org');
    await page.getByLabel('Password').fill('right');
    await page.locator('.first-foot button[type=submit]').click();
    await page.getByRole('textbox').first().fill('123456');
    await page.locator('.first-foot button[type=submit]').click();
    await page.getByText('Signed in as anna@example.org').waitFor();
    await page.getByRole('button', { name: 'Start here' }).click();
    await page.locator('.first').waitFor({ state: 'detached' });
    expect(begun).toEqual([{ kind: 'service', url: 'https://backup.example.org' }]);
  });

  test.each(SIZES)(
    'finds the present backups at their new location, %s at %d×%d',
    async (colorScheme, width, height, locale) => {
      const asked: unknown[] = [];
      const window = await settings(
        {
          'shell.choose-folder': () => ({ path: '/mnt/moved' }),
          'destination.move': ({ choice }) => {
            asked.push(choice);
            if (asked.length > 1) return {};
            throw wrongUsage({ problem: 'destination-older', directory: '/mnt/moved', set: 'Documents' });
          },
        },
        { colorScheme, width, height, locale },
      );
      const { page } = window;
      const isGerman = locale === 'de-DE';
      await page
        .getByRole('button', { name: isGerman ? 'Verschobene Sicherungen suchen …' : 'Locate moved backups…' })
        .click();
      await page.getByRole('button', { name: isGerman ? 'Ordner wählen' : 'Choose a folder' }).click();
      const next = page.locator('.first-foot button[type=submit]');
      await next.click();
      await page.getByRole('alert').waitFor();
      const looked = { page, faults: () => window.faultsInBothSchemes(), overflow: () => window.overflow() };
      await look(looked, `destination-move-${colorScheme}`);
      await next.click();
      await page.locator('.first').waitFor({ state: 'detached' });
      expect(asked).toEqual([
        { kind: 'folder', path: '/mnt/moved' },
        { kind: 'folder', path: '/mnt/moved' },
      ]);
    },
  );

  test('returns to a former destination and continues its backups', async () => {
    const asked: unknown[] = [];
    const window = await settings({
      'destination.return': (input) => {
        asked.push(input);
        return {};
      },
    });
    const { page } = window;
    await page.getByRole('button', { name: `Switch back to ${FORMER.location}` }).click();
    const dialog = page.getByRole('dialog');
    const looked = { page, faults: () => window.faultsInBothSchemes(), overflow: () => window.overflow() };
    await look(looked, 'destination-return');
    await dialog.getByRole('button', { name: 'Switch back' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(asked).toEqual([{ leftAt: FORMER.leftAt, destination: BACKUP_DISK.id }]);
  });

  test('cancels by Escape, which also ends the sign-in', async () => {
    const window = await settings({ 'setup.cancel': () => ({}) });
    await window.page.getByRole('button', { name: 'Change destination…' }).click();
    await window.page.locator('.first').waitFor();
    await window.page.keyboard.press('Escape');
    await window.page.locator('.first').waitFor({ state: 'detached' });
    await expect.poll(() => window.calls.some(({ name }) => name === 'setup.cancel')).toBe(true);
    expect(window.calls.some(({ name }) => name === 'destination.begin')).toBe(false);
  });

  test.each(SIZES)(
    'compares a changed host key, and accepts it, %s at %d×%d',
    async (colorScheme, width, height, locale) => {
      const [old, presented] = [`SHA256:${'A'.repeat(43)}`, `SHA256:${'B'.repeat(43)}`];
      const location = 'sftp://anna@nas.local/~/Holdfast';
      const destinations: AppState['destinations'] = [{ ...BACKUP_DISK, kind: 'sftp', location }];
      const failure = { code: 'service_unreachable', details: { address: location, reason: 'host-key' } } as const;
      const lastBackup = { ...DOCUMENTS.lastBackup!, outcome: 'failed', failure } as const;
      const state: AppState = {
        ...PROTECTED,
        destination: { kind: 'sftp', location },
        destinations,
        health: 'at-risk',
        sets: [{ ...DOCUMENTS, lastBackup }],
        needs: [{ kind: 'failed', set: 'Documents', failure, at: NOW }],
      };
      const accepted: unknown[] = [];
      const answers = onboardingAnswers({
        'destination.former': () => ({ destinations: [] }),
        'destination.host-key': () => ({ address: location, accepted: old, presented }),
        'destination.accept-host-key': (input) => {
          accepted.push(input);
          if (accepted.length > 1) return {};
          throw wrongUsage({ problem: 'host-key-unconfirmed', address: location, fingerprint: old });
        },
      });
      await shown?.close();
      const window = await pages.show(state, answers, { colorScheme, width, height, locale });
      shown = window;
      const { page } = window;
      const isGerman = locale === 'de-DE';
      const looked = { page, faults: () => window.faultsInBothSchemes(), overflow: () => window.overflow() };
      const compare = page.getByRole('button', { name: isGerman ? /^Schlüssel vergleichen/ : /^Compare keys/ });
      await compare.waitFor();
      await look(looked, `host-key-home-${colorScheme}`);
      await compare.click();
      await page.getByRole('tab', { name: isGerman ? 'Ziel' : 'Destination', selected: true }).waitFor();
      await look(looked, `host-key-settings-${colorScheme}`);
      await compare.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(presented).waitFor();
      await dialog.getByText(old).waitFor();
      await look(looked, `host-key-dialog-${colorScheme}`);
      const accept = dialog.getByRole('button', {
        name: isGerman ? 'Neuen Schlüssel bestätigen' : 'Accept the new key',
      });
      await accept.click();
      await dialog.getByRole('alert').waitFor();
      await accept.click();
      await dialog.waitFor({ state: 'detached' });
      const acceptance = { destination: BACKUP_DISK.id, fingerprint: presented };
      expect(accepted).toEqual([acceptance, acceptance]);
      await expect
        .poll(() => window.calls.filter(({ name }) => name === 'runs.backup').map(({ input }) => input))
        .toEqual([{ set: 'Documents' }]);
      await window.setState({ ...PROTECTED, destination: { kind: 'sftp', location }, destinations });
      await page.getByRole('button', { name: isGerman ? 'Hostschlüssel prüfen …' : 'Check host key…' }).click();
      await dialog.getByText(presented).waitFor();
    },
  );
});

interface Look {
  readonly page: ShownWindow['page'];
  readonly faults: () => Promise<readonly string[]>;
  readonly overflow: () => Promise<number>;
}
