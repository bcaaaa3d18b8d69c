import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IS_THOROUGH } from '../../helpers/thorough.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { expectSoundEverywhere, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { onboardingAnswers, WORDS } from './onboarding-answers.ts';
import { AT_SERVICE, NOT_SET_UP, NOW, PROTECTED, SEVERAL } from './states.ts';
import { untranslated } from './untranslated.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const LOOKS = process.env['HOLDFAST_LOOKS'];
const CODE = 'cable ripple orbit velvet mango tundra';
const SECURITY = {
  protection: 'file',
  location: '/home/anna/secrets.json',
  isKeychainAvailable: true,
  phrase: 'confirmed',
} as const;
const DATA = ['Anna’s laptop', /\/[\w/. -]+/];
const LOCK = { isOn: true, isLocked: false, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };
const NOTHING_MISSING = { later: [], needPhrase: [], services: [], lostPassphrase: false };
interface Size {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}
/** The smallest window; each is examined in both schemes. */
const SIZES: readonly Size[] = [
  { colorScheme: 'light', width: 720, height: 520 },
  ...(IS_THOROUGH ? [{ colorScheme: 'dark', width: 1280, height: 900 } as const] : []),
];

describe.skipIf(CHROMIUM === undefined)('the key of the backups in Settings', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function look({ page }: ShownWindow, name: string): Promise<void> {
    if (LOOKS === undefined) return;
    mkdirSync(LOOKS, { recursive: true });
    await page.screenshot({ path: join(LOOKS, `${name}.png`) });
  }

  async function security(
    answers: Answers = {},
    state: AppState = PROTECTED,
    size: Size = SIZES[0]!,
  ): Promise<ShownWindow> {
    const shown = await pages.show(state, { 'security.state': () => SECURITY, ...answers }, size);
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(5).click();
    await shown.page.getByRole('tab', { name: 'Security' }).click();
    await shown.page.getByRole('heading', { name: 'Key of your backups' }).scrollIntoViewIfNeeded();
    return shown;
  }

  test.each(SIZES)('shows a code for a new computer, $colorScheme at $width', async (size) => {
    const code = () => ({ code: CODE, expires: NOW + 900_000, location: '/media/anna/Backup disk/holdfast' });
    const shown = await security({ 'key.show-code': code }, PROTECTED, size);
    const { page } = shown;
    await shown.stopClock();
    await look(shown, `key-panel-${size.colorScheme}`);
    expect(await shown.faultsInBothSchemes()).toEqual([]);
    await page.getByRole('button', { name: 'Show a code for a new computer…' }).click();
    expect(callsOf(shown, 'key.show-code')).toEqual([]);
    await page.getByRole('button', { name: 'Show the code' }).click();
    await page.getByText(CODE).waitFor();
    await page.getByText('/media/anna/Backup disk/holdfast').waitFor();
    expect(await shown.faultsInBothSchemes()).toEqual([]);
    expect(await shown.overflow()).toBeLessThanOrEqual(0);
    await look(shown, `key-code-${size.colorScheme}`);
    await page.clock.runFor(840_000);
    expect(await page.getByText(CODE).count()).toBe(1);
    await page.clock.runFor(90_000);
    await page.getByText('The code has expired.').waitFor();
    expect(await page.content()).not.toContain(CODE);
  });

  test('shows a code for the chosen one of several destinations, and names what prevents it', async () => {
    const shown = await security(
      {
        'key.show-code': () => {
          throw new HoldfastError('key_outdated', {});
        },
      },
      SEVERAL,
    );
    const { page } = shown;
    await page.getByRole('button', { name: 'Show a code for a new computer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Show a code for a new computer?' });
    await dialog.getByRole('button', { name: /^Destination / }).click();
    const stores = SEVERAL.destinations.filter(({ kind }) => kind !== 'service');
    expect(await page.getByRole('option').allTextContents()).toEqual(stores.map(({ name }) => name));
    await page.getByRole('option').last().click();
    await dialog.getByRole('button', { name: 'Show the code' }).click();
    await dialog.getByText(/this computer does not have the new one/).waitFor();
    expect(callsOf(shown, 'key.show-code')).toEqual([{ destination: stores.at(-1)!.id }]);
  });

  test.each(SIZES)('sets, changes and removes a passphrase, $colorScheme at $width', async (size) => {
    let hasPassphrase = false;
    const shown = await security(
      {
        'security.state': () => ({ ...SECURITY, hasPassphrase }),
        'key.set-passphrase': ({ passphrase }) => {
          hasPassphrase = passphrase !== undefined;
          return { kept: hasPassphrase ? [] : ['Bucket'], unchanged: [] };
        },
      },
      PROTECTED,
      size,
    );
    const { page } = shown;
    await page.getByRole('button', { name: 'Set a passphrase…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.getByText('Enter a passphrase.').waitFor();
    await dialog.getByLabel('Passphrase').fill('six random words');
    await dialog.getByLabel('Passphrase again').fill('six random word');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.getByText('The two passphrases do not match.').waitFor();
    expect(await shown.faultsInBothSchemes()).toEqual([]);
    await look(shown, `key-passphrase-${size.colorScheme}`);
    expect(callsOf(shown, 'key.set-passphrase')).toEqual([]);
    await dialog.getByLabel('Passphrase again').fill('six random words');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await page.getByText('The passphrase is set.').waitFor();
    await page.getByText('A passphrase is set.').waitFor();
    await page.getByRole('button', { name: 'Change passphrase…' }).waitFor();
    await look(shown, `key-panel-passphrase-${size.colorScheme}`);
    await page.getByRole('button', { name: 'Remove passphrase…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('“Bucket” keeps the old key file, which the old passphrase still opens.').waitFor();
    await page.getByRole('button', { name: 'Set a passphrase…' }).waitFor();
    expect(callsOf(shown, 'key.set-passphrase')).toEqual([{ passphrase: 'six random words' }, {}]);
  });

  test('changes the key, and leads to the new phrase', async () => {
    const shown = await security({ 'key.renew': () => NOTHING_MISSING });
    const { page } = shown;
    await page.getByRole('button', { name: 'Change the key…' }).click();
    await page.getByText('You get a new recovery phrase. Write it down.').waitFor();
    expect(await shown.faultsInBothSchemes()).toEqual([]);
    await look(shown, 'key-renew');
    await page.getByRole('dialog').getByRole('button', { name: 'Change the key' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor({ state: 'detached' });
    expect(callsOf(shown, 'key.renew')).toEqual([{}]);
  });

  test('names what a new key lacks before it leads to the new phrase', async () => {
    const shown = await security({
      'key.renew': () => ({ later: ['Disk'], needPhrase: ['Old PC'], services: ['Cloud'], lostPassphrase: true }),
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Change the key…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change the key' }).click();
    const dialog = page.getByRole('dialog', { name: 'The key was changed' });
    for (const text of [/^“Disk” could not be reached\./, /^“Old PC” needs/, /^At “Cloud”/, /Set it again\.$/]) {
      await dialog.getByText(text).waitFor();
    }
    await look(shown, 'key-renewed');
    await dialog.getByRole('button', { name: 'Write down the new phrase' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor({ state: 'detached' });
  });

  test('asks for the password of the lock before anything of it is given or changed', async () => {
    const asked: unknown[] = [];
    const refuse = (input: unknown): never => {
      asked.push(input);
      throw new HoldfastError('lock_password_wrong', { seconds: 5 });
    };
    const shown = await security(
      {
        'security.state': () => ({ ...SECURITY, hasPassphrase: true }),
        'key.show-code': refuse,
        'key.renew': refuse,
        'key.set-passphrase': refuse,
      },
      { ...PROTECTED, lock: LOCK },
    );
    const { page } = shown;
    for (const [opens, does] of [
      ['Show a code for a new computer…', 'Show the code'],
      ['Remove passphrase…', 'Remove'],
      ['Change the key…', 'Change the key'],
    ] as const) {
      await page.getByRole('button', { name: opens }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Password').fill('wrong one');
      await dialog.getByRole('button', { name: does }).click();
      await dialog.getByText('This is not the lock password. Try again in 5 seconds.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    expect(asked).toMatchObject([{ password: 'wrong one' }, { password: 'wrong one' }, { password: 'wrong one' }]);
  });

  test('fits the window in every language, and is accessible', async () => {
    const shown = await security({ 'security.state': () => ({ ...SECURITY, hasPassphrase: true }) });
    await expectSoundEverywhere(shown, PROTECTED, DATA);
    await shown.setState(inLanguage(PROTECTED, 'pseudo'));
    const { page } = shown;
    await page.setViewportSize({ width: 720, height: 520 });
    const buttons = page.locator('.ui-panel').nth(1).getByRole('button');
    await expect.poll(() => buttons.first().textContent()).toContain('[');
    for (let at = 0; at < 4; at += 1) {
      await buttons.nth(at).click();
      await page.getByRole('dialog').waitFor();
      expect(await untranslated(page, DATA)).toEqual([]);
      expect(await shown.overflow()).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('offers no code to a home with a service only', async () => {
    const { page } = await security({}, AT_SERVICE);
    await page.getByRole('button', { name: 'Change the key…' }).waitFor();
    expect(await page.getByRole('button', { name: 'Show a code for a new computer…' }).count()).toBe(0);
  });

  test.each(SIZES)('a code or a passphrase opens existing backups, $colorScheme at $width', async (size) => {
    const shown = await pages.show(
      NOT_SET_UP,
      onboardingAnswers({
        'setup.finish': ({ keyCode }) => {
          if (keyCode === undefined) throw new HoldfastError('passphrase_wrong');
          return { isAdopted: true, storedSets: [] };
        },
      }),
      size,
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    const next = () => page.getByRole('button', { name: 'Open these backups' }).click();
    await page.getByRole('radio', { name: /Archive/ }).check({ force: true });
    await page.getByRole('button', { name: 'Test this destination' }).click();
    await page.getByRole('heading', { name: 'Backups already exist here' }).waitFor();
    await page.getByRole('textbox', { name: 'Recovery phrase' }).fill(WORDS.join(' '));
    await page.getByText('Passphrase').click();
    await next();
    await page.getByText('Enter the passphrase.').waitFor();
    await page.getByLabel('Passphrase').last().fill('six random words');
    await next();
    await page.getByText(/This passphrase does not open/).waitFor();
    await page.getByText('Code from another computer').click();
    expect(await page.getByText(/This passphrase does not open/).count()).toBe(0);
    await next();
    await page.getByText('The code has six words.').waitFor();
    expect(await shown.faultsInBothSchemes()).toEqual([]);
    expect(await shown.overflow()).toBeLessThanOrEqual(0);
    await look(shown, `key-setup-${size.colorScheme}`);
    await page.getByRole('textbox', { name: 'Code from another computer' }).fill(` ${CODE.toUpperCase()} `);
    await next();
    await page.getByRole('heading', { name: 'Your backups are open' }).waitFor();
    const given = callsOf(shown, 'setup.finish');
    expect(given).toMatchObject([{ passphrase: 'six random words' }, { keyCode: CODE }]);
    for (const input of given) expect(input).not.toHaveProperty('phrase');
  });
});
