import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState, LockState } from '../../../src/ipc/state.ts';
import { visibleState } from '../../../src/main/lock/visible-state.ts';
import { NOW, PROTECTED, RUNNING } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

const ON: LockState = { isOn: true, isLocked: false, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };
const LOCKED: LockState = { ...ON, isLocked: true };
const BUSY: AppState = { ...PROTECTED, health: 'running', runs: [RUNNING] };
const SECURITY: Answers = {
  'security.state': () => ({
    protection: 'file',
    location: '/home/anna/.local/share/holdfast/secrets.json',
    isKeychainAvailable: false,
    phrase: 'confirmed',
  }),
};

/** Folder for screenshots, for people to look at. */
const APPEARANCES = process.env['HOLDFAST_LOOKS'];

describe.skipIf(!CHROMIUM)('lock', () => {
  let pages: WindowPages;
  let shown: ShownWindow | undefined;
  beforeAll(async () => {
    pages = await WindowPages.open();
  }, 120_000);
  afterAll(() => pages?.close());

  async function show(state: AppState, answers: Answers = {}, options: PageOptions = {}): Promise<ShownWindow> {
    await shown?.close();
    shown = await pages.show(state, answers, { width: 720, height: 520, ...options });
    return shown;
  }

  async function look(window: ShownWindow, name: string): Promise<void> {
    if (APPEARANCES === undefined) return;
    mkdirSync(APPEARANCES, { recursive: true });
    await window.page.screenshot({ path: join(APPEARANCES, `${name}.png`) });
  }

  test.each([
    ['light', 720, 520, 'de-DE'],
    ['dark', 1280, 800, 'en-GB'],
  ] as const)('replaces everything else, %s at %d×%d', async (colorScheme, width, height, locale) => {
    const options = { colorScheme, width, height, locale };
    const window = await show(visibleState(BUSY, LOCKED), {}, options);
    await window.page.locator('.lock-form').waitFor();
    const text = await window.page.locator('body').innerText();
    expect(text).toContain(locale === 'de-DE' ? 'Eine Sicherung läuft.' : 'A backup is running. 22% is done.');
    for (const hidden of ['Documents', 'anna', 'Thesis']) expect(text).not.toContain(hidden);
    expect(await window.faults()).toEqual([]);
    expect(await window.overflow()).toBeLessThanOrEqual(0);
    expect(window.calls).toEqual([]);
    await look(window, `lock-${colorScheme}-${width}`);
    await window.page
      .getByRole('button', { name: locale === 'de-DE' ? /^Passwort vergessen/ : 'I forgot the password' })
      .click();
    await window.page.getByRole('textbox').waitFor();
    expect(await window.faults()).toEqual([]);
    await look(window, `lock-phrase-${colorScheme}-${width}`);
  });

  test('hides the view immediately, and returns to it after unlocking', async () => {
    const window = await show({ ...PROTECTED, lock: ON }, SECURITY);
    await window.page.getByRole('button', { name: 'Settings' }).click();
    await window.page.getByRole('heading', { name: 'Settings' }).waitFor();
    await window.setState(visibleState(PROTECTED, LOCKED));
    await window.page.getByRole('heading', { name: 'Holdfast is locked' }).waitFor();
    expect(await window.page.locator('.frame').count()).toBe(0);
    await window.setState({ ...PROTECTED, lock: ON });
    await window.page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(window.errors).toEqual([]);
  });

  test('unlocks by password, and counts down after too many wrong ones', async () => {
    const given: string[] = [];
    const window = await show(visibleState(PROTECTED, LOCKED), {
      'lock.unlock': ({ password }) => {
        given.push(password);
        throw new HoldfastError('lock_password_wrong');
      },
    });
    const { page } = window;
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password');
    await page.keyboard.type('wrong one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This is not the lock password.' }).waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await look(window, 'lock-wrong');
    await page.getByLabel('Password').fill('another');
    await window.setState(visibleState(PROTECTED, { ...LOCKED, waitUntil: NOW + 600_000 }));
    await page.getByRole('timer').filter({ hasText: 'You can try again in' }).waitFor();
    await page.keyboard.press('Enter');
    await look(window, 'lock-waits');
    await window.setState(visibleState(PROTECTED, { ...LOCKED, waitUntil: NOW - 1 }));
    await page.getByRole('timer').waitFor({ state: 'detached' });
    expect(given).toEqual(['wrong one']);
  });

  test('unlocks by recovery phrase and by the system', async () => {
    const asked: string[] = [];
    const window = await show(visibleState(PROTECTED, { ...LOCKED, canAskSystem: true }), {
      'lock.unlock-with-system': () => {
        asked.push('system');
        throw new HoldfastError('refused', { problem: 'person' });
      },
      'lock.unlock-with-phrase': ({ phrase }) => {
        asked.push(phrase);
        throw new HoldfastError('phrase_other_account');
      },
    });
    await window.page.getByRole('button', { name: 'Use Touch ID' }).click();
    await window.page.getByRole('alert').waitFor();
    await window.page.getByRole('button', { name: 'I forgot the password' }).click();
    await window.page.getByRole('textbox').fill('one two three');
    await window.page.getByRole('button', { name: 'Unlock' }).click();
    await window.page.getByRole('alert').waitFor();
    expect(asked).toEqual(['system', 'one two three']);
    // The answer was about another phrase.
    await window.page.getByRole('textbox').fill('one two');
    await window.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('is turned on and off in the settings', async () => {
    const saved: unknown[] = [];
    const answers: Answers = {
      ...SECURITY,
      'lock.set-password': (input) => {
        saved.push(input);
        return {};
      },
      'lock.remove': ({ current }) => {
        saved.push(current);
        return {};
      },
      'lock.configure': (input) => {
        saved.push(input);
        return {};
      },
    };
    const off = { ...PROTECTED, lock: { ...ON, isOn: false } };
    const window = await show(off, answers);
    const { page } = window;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByText('Lock Holdfast').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill('short');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('This is too short. Use at least 6 characters.').waitFor();
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByLabel('Password again').fill('correct hose');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('The two passwords do not match.').waitFor();
    expect(await window.faultsInBothSchemes()).toEqual([]);
    await look(window, 'settings-lock-set');
    await dialog.getByLabel('Password again').fill('correct horse');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.waitFor({ state: 'detached' });
    await window.setState({ ...PROTECTED, lock: ON });
    await page.getByText('Lock when the window is closed').click();
    await page.getByRole('button', { name: 'Lock now' }).scrollIntoViewIfNeeded();
    expect(await window.faultsInBothSchemes()).toEqual([]);
    expect(await window.overflow()).toBeLessThanOrEqual(0);
    await look(window, 'settings-lock');
    await page.getByText('Lock Holdfast').click();
    await dialog.getByLabel('Password').fill('correct horse');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(saved).toEqual([{ password: 'correct horse' }, { locksOnClose: true, idleMinutes: 0 }, 'correct horse']);
  });

  test('asks for its password before the phrase is shown or printed', async () => {
    const asked: unknown[] = [];
    const refuse = (input: unknown): never => {
      asked.push(input);
      throw new HoldfastError('lock_password_wrong', { seconds: 5 });
    };
    const window = await show(
      { ...PROTECTED, lock: ON },
      { ...SECURITY, 'shell.reveal-phrase': refuse, 'shell.save-kit': refuse },
    );
    const { page } = window;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Security' }).click();
    for (const [opens, does] of [
      ['Show phrase…', 'Show it'],
      ['Save recovery kit…', 'Save recovery kit…'],
    ] as const) {
      await page.getByRole('button', { name: opens }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Password').fill('wrong one');
      await dialog.getByRole('button', { name: does }).click();
      await dialog.getByText('This is not the lock password. Try again in 5 seconds.').waitFor();
      await look(window, `settings-lock-asks-${does.length}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    expect(asked).toEqual([{ password: 'wrong one' }, { password: 'wrong one' }]);
  });
});
