import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { DEFAULT_PREFERENCES } from '../../../src/ipc/contract/preferences.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { LIBRARIES } from '../../../src/renderer/features/settings/about/libraries.ts';
import { accountAnswers } from './account-answers.ts';
import { expectSoundEverywhere, inLanguage } from './appearance.ts';
import { callsOf, tabTo } from './keyboard.ts';
import { AT_SERVICE, PROTECTED, SERVICE } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const WORDS = Array.from({ length: 24 }, (_, index) => `word${String.fromCodePoint(97 + index)}`);
const ANSWERS: Answers = {
  'shell.abilities': () => ({
    startAtLogin: true,
    fileManagers: true,
    tray: true,
    notifications: true,
    platform: 'linux',
    locale: 'en-GB',
  }),
  'security.state': () => ({
    protection: 'file',
    location: '/home/anna/.local/share/holdfast/secrets.json',
    isKeychainAvailable: true,
    phrase: 'confirmed',
  }),
  'preferences.save': () => ({}),
  'report.get': () => ({ hasPassword: false }),
  'shell.reveal-phrase': () => ({ isAsked: false, words: WORDS }),
  'shell.save-kit': () => ({ path: '/home/anna/Documents/kit.pdf' }),
  'shell.show-path': () => ({}),
  'shell.copy': () => ({}),
  'shell.save-diagnostics': () => ({ path: '/home/anna/holdfast.txt' }),
  'diagnostics.text': () => ({ text: 'Holdfast 0.1.0 on Linux' }),
  'crashes.list': () => ({
    reports: [
      { id: '1795435200000-00000001', at: 1_795_435_200_000, part: 'agent', text: 'Holdfast 0.1.0\nTypeError' },
    ],
  }),
  'crashes.delete': () => ({}),
  'crashes.save': () => ({ path: '/home/anna/crash.txt' }),
  'security.move-keys': () => ({}),
  ...accountAnswers(),
};
const DATA = [
  'Anna’s laptop',
  'https://backup.example.org',
  'backup.example.org',
  'anna@example.org',
  /\/[\w/. -]+(…[\w/. -]*)?/,
];

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('settings view', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(async () => {
    await pages?.close();
  });

  test('asks for Full Disk Access on macOS, and checks it again', async () => {
    let access: 'missing' | 'given' = 'missing';
    const abilities = await ANSWERS['shell.abilities']!({});
    const shown = await open(PROTECTED, {
      ...ANSWERS,
      'shell.abilities': () => ({ ...abilities, platform: 'darwin' }),
      'shell.disk-access': () => ({ access }),
      'shell.open-disk-access': () => ({}),
    });
    const { page } = shown;
    await page.getByText(/macOS keeps some folders from Holdfast/).waitFor();
    await page.getByRole('button', { name: 'Open System Settings' }).click();
    await expect.poll(() => callsOf(shown, 'shell.open-disk-access')).toEqual([{}]);
    await expectSoundEverywhere(shown, PROTECTED, DATA);
    access = 'given';
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Holdfast may read all of your folders.').waitFor();
  });

  test('saves each change, by keyboard alone', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    await tabTo(shown, /^Start at login/);
    await page.keyboard.press('Space');
    await page.getByText('Saved').waitFor();
    const first = { ...DEFAULT_PREFERENCES, startAtLogin: true };
    expect(callsOf(shown, 'preferences.save')).toEqual([{ preferences: first }]);
    await shown.setState({ ...PROTECTED, preferences: first });
    await tabTo(shown, /^When a restore is done/);
    await page.keyboard.press('Space');
    await expect.poll(() => callsOf(shown, 'preferences.save').length).toBe(2);
    expect(callsOf(shown, 'preferences.save')[1]).toEqual({
      preferences: { ...first, notifications: { ...first.notifications, restores: false } },
    });
    expect(await page.getByRole('switch', { name: 'Start at login' }).isChecked()).toBe(true);
  });

  test('saves two quick changes without reverting either on screen', async () => {
    const waiting: (() => void)[] = [];
    const shown = await open(PROTECTED, {
      ...ANSWERS,
      'preferences.save': () => new Promise((resolve) => waiting.push(() => resolve({}))),
    });
    const { page } = shown;
    const [login, awake] = ['Start at login', 'Keep the computer awake during a backup'].map((name) =>
      page.getByRole('switch', { name }),
    );
    await login!.focus();
    await page.keyboard.press('Space');
    await awake!.focus();
    await page.keyboard.press('Space');
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]!();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!();
    await page.getByText('Saved').waitFor();
    expect(callsOf(shown, 'preferences.save')[1]).toEqual({
      preferences: { ...DEFAULT_PREFERENCES, startAtLogin: true, keepAwake: false },
    });
    expect([await login!.isChecked(), await awake!.isChecked()]).toEqual([true, false]);
  });

  test('reverts a change that cannot be saved, and shows the failure', async () => {
    const { page } = await open(PROTECTED, {
      ...ANSWERS,
      'preferences.save': () => {
        throw new HoldfastError('home_unwritable', { file: '/home/anna/settings.json' });
      },
    });
    await page.getByText('Keep the computer awake during a backup').click();
    await page.getByText('That could not be saved. Nothing was changed.').waitFor();
    await page.getByText(/\/home\/anna\/settings\.json cannot be written to\./).waitFor();
    expect(await page.getByRole('switch', { name: /^Keep the computer awake/ }).isChecked()).toBe(true);
  });

  test('changes the language immediately, and hides the pseudo-locale unless it is selected', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    await page.getByRole('button', { name: /^Language / }).click();
    expect(await page.getByRole('option').allTextContents()).toEqual([
      'Same as system',
      'English',
      'Deutsch',
      'Français',
      'Español',
      '日本語',
      'العربية',
    ]);
    await page.getByRole('option', { name: 'Deutsch' }).click();
    await expect.poll(() => callsOf(shown, 'preferences.save').length).toBe(1);
    await shown.setState({ ...PROTECTED, preferences: { ...DEFAULT_PREFERENCES, language: 'de' } });
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    expect(await page.getAttribute('html', 'dir')).toBe('ltr');
    await shown.setState({ ...PROTECTED, preferences: { ...DEFAULT_PREFERENCES, language: 'ar' } });
    await expect.poll(() => page.getAttribute('html', 'dir')).toBe('rtl');
    expect(await page.getAttribute('html', 'lang')).toBe('ar');
  });

  test('explains missing settings', async () => {
    const { page } = await open(PROTECTED, {
      ...ANSWERS,
      'shell.abilities': () => ({
        startAtLogin: false,
        fileManagers: false,
        tray: false,
        notifications: false,
        platform: 'linux',
        locale: 'en',
      }),
    });
    await page.getByText('This system does not let Holdfast start automatically when you log in.').waitFor();
    await page.getByText(/This system does not show notifications\./).waitFor();
    // Limits apply to services only.
    expect(await page.getByRole('tab', { name: 'Network' }).count()).toBe(0);
  });

  test('sets and removes bandwidth limits', async () => {
    const shown = await open({ ...AT_SERVICE, preferences: { ...DEFAULT_PREFERENCES, uploadKiB: 1000 } });
    const { page } = shown;
    await page.getByRole('tab', { name: 'Network' }).click();
    await page.getByText('That is 1.02 MB/s.').waitFor();
    await page.getByRole('textbox', { name: 'Download at most (KiB/s)' }).fill('500');
    await page.keyboard.press('Tab');
    await expect.poll(() => callsOf(shown, 'preferences.save').length).toBe(1);
    await page.getByRole('textbox', { name: 'Upload at most (KiB/s)' }).fill('');
    await page.keyboard.press('Tab');
    await expect.poll(() => callsOf(shown, 'preferences.save').length).toBe(2);
    expect(callsOf(shown, 'preferences.save')[1]).toEqual({
      preferences: { ...DEFAULT_PREFERENCES, downloadKiB: 500 },
    });
  });

  test('shows the phrase after a confirmation, and hides it after a minute', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    await shown.stopClock();
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Show phrase…' }).click();
    expect(callsOf(shown, 'shell.reveal-phrase')).toEqual([]);
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('wordx').waitFor();
    await page.getByText('This system could not ask for your password first.').waitFor();
    await page.clock.runFor(59_000);
    expect(await page.getByText('wordx').count()).toBe(1);
    await page.clock.runFor(2_000);
    await page.getByText('wordx').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('wordx');
  });

  test.each([
    ['confirmed', 'You have written it down and confirmed it.'],
    ['unconfirmed', 'Confirm the phrase'],
    ['not-asked', undefined],
  ] as const)('says of a phrase that is %s what is known', async (phrase, said) => {
    const security = { protection: 'file', location: '/home/anna/s', isKeychainAvailable: false, phrase } as const;
    const { page } = await open(PROTECTED, { ...ANSWERS, 'security.state': () => security });
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Save recovery kit…' }).waitFor();
    const texts = ['You have written it down and confirmed it.', 'Confirm the phrase'];
    for (const text of texts) expect(await page.getByText(text).count()).toBe(text === said ? 1 : 0);
  });

  test('saves the kit, moves the keys, and leads to the unconfirmed phrase', async () => {
    let isKeychain = false;
    const shown = await open(PROTECTED, {
      ...ANSWERS,
      'security.state': () => ({
        protection: isKeychain ? 'keychain' : 'file',
        location: isKeychain ? 'org.freedesktop.secrets' : '/home/anna/secrets.json',
        isKeychainAvailable: true,
        phrase: 'unconfirmed',
      }),
      'security.move-keys': ({ to }) => {
        isKeychain = to === 'keychain';
        return {};
      },
    });
    const { page } = shown;
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Save recovery kit…' }).click();
    await page.getByText('/home/anna/Documents/kit.pdf').waitFor();
    await page.getByRole('button', { name: 'Show file' }).click();
    await page.getByRole('button', { name: 'Move to the keychain' }).click();
    await page.getByText('Stored in your system’s keychain, which unlocks when you log in.').waitFor();
    // A file of the home is not where the keys are.
    expect(await page.getByText(/org\.freedesktop\.secrets/).count()).toBe(0);
    await page.getByRole('button', { name: 'Move to a file…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText('/home/anna/secrets.json').waitFor();
    expect(callsOf(shown, 'security.move-keys')).toEqual([{ to: 'keychain' }, { to: 'file' }]);
    expect(callsOf(shown, 'shell.show-path')).toEqual([{ path: '/home/anna/Documents/kit.pdf' }]);
    await page.getByRole('button', { name: 'Confirm the phrase' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor({ state: 'detached' });
  });

  test('offers no sign-in to a revoked computer', async () => {
    const failure = { code: 'device_refused', details: {} } as const;
    const [set] = SERVICE.sets;
    const state: AppState = {
      ...AT_SERVICE,
      needs: [{ kind: 'signed-out' }],
      destinations: [{ ...SERVICE, sets: [{ ...set!, state: 'failed', failure }] }],
    };
    const { page } = await open(state);
    await page.getByText(/The service no longer recognizes this computer/).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in again' }).count()).toBe(0);
  });

  test('previews the diagnostics before they are exported', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Preview…' }).click();
    await page.getByText('Holdfast 0.1.0 on Linux').waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export…' }).click();
    await page.getByText('/home/anna/holdfast.txt').waitFor();
    expect(callsOf(shown, 'shell.copy')).toEqual([{ text: 'Holdfast 0.1.0 on Linux' }]);
  });

  test('says that an AppImage has no sandbox, and nothing elsewhere', async () => {
    const shown = await open({ ...PROTECTED, hasNoSandbox: true });
    const { page } = shown;
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText(/The window runs without its sandbox/).waitFor();
    await shown.setState({ ...PROTECTED, hasNoSandbox: false });
    await expect.poll(() => page.getByText(/sandbox/).count()).toBe(0);
  });

  test('shows a crash report, saves it as a file and deletes it', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByRole('button', { name: /^Show the report: The background process/ }).click();
    await page.getByText(/TypeError/).waitFor();
    await page.getByRole('button', { name: 'Save as file…' }).click();
    await page.getByText('/home/anna/crash.txt').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Delete the report/ }).click();
    await page.getByText('The report is deleted.').waitFor();
    const id = '1795435200000-00000001';
    expect([callsOf(shown, 'crashes.save'), callsOf(shown, 'crashes.delete')]).toEqual([[{ id }], [{ id }]]);
  });

  test('names a crash report with the comma of the language', async () => {
    const arabic = inLanguage(PROTECTED, 'ar');
    const shown = await open(arabic);
    await shown.page.getByRole('tab').last().click();
    const names = shown.page.locator('.settings-crash button');
    await expect.poll(() => names.first().getAttribute('aria-label')).toMatch(/^[^,]*، [^,]*$/);
  });

  test('fits the window in every language and is accessible', async () => {
    const shown = await open(AT_SERVICE);
    for (let part = 0; part < 5; part += 1) {
      await shown.page.getByRole('tab').nth(part).click();
      await shown.page.getByRole('tabpanel').locator('h2').first().waitFor();
      await expectSoundEverywhere(shown, AT_SERVICE, DATA);
    }
  });
});

interface Licensed {
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
}

test('lists the installed libraries with their licences', () => {
  const read = (path: string): Record<string, never> =>
    JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
  // Only the sources are compiled with these.
  const unshipped = new Set(['@formatjs/icu-messageformat-parser', 'pofile']);
  const shipped = Object.keys(read('package.json')['dependencies']!).filter((name) => !unshipped.has(name));
  const bundled = [
    '@fontsource-variable/inter',
    '@internationalized/date',
    'diff',
    'electron',
    'pdfjs-dist',
    'react',
    'react-aria-components',
    'react-dom',
    'zustand',
  ];
  expect(LIBRARIES.map(({ name }) => name).toSorted()).toEqual([...new Set([...shipped, ...bundled])].toSorted());
  for (const { name, licence } of LIBRARIES) {
    const { license, licenses } = read(`node_modules/${name}/package.json`) as Licensed;
    // Older packages list their licences.
    const installed = license ?? licenses!.map(({ type }) => type).join(' OR ');
    expect([name, licence]).toEqual([name, installed.replace(/[()]/g, '')]);
  }
});

async function open(state: AppState, answers: Answers = ANSWERS): Promise<ShownWindow> {
  const shown = await pages.show(state, answers);
  onTestFinished(() => shown.close());
  await shown.page.getByRole('navigation').getByRole('button').nth(5).click();
  return shown;
}
