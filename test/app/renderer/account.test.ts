import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { accountAnswers } from './account-answers.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf, tabTo } from './keyboard.ts';
import { AT_SERVICE, PROTECTED, SERVICE } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const SIGNED_OUT: AppState = { ...AT_SERVICE, needs: [{ kind: 'signed-out' }] };
const OTHERS: Answers = {
  'security.state': () => ({
    protection: 'file',
    location: '/home/anna/secrets.json',
    isKeychainAvailable: true,
    phrase: 'confirmed',
  }),
};
const DATA = [
  'Anna’s laptop',
  'Firefox, Linux',
  'Holdfast, Linux',
  /^(holdfast|Mozilla)\/.*/,
  '203.0.113.7',
  /2001:[0-9a-f:]+/,
  'anna@example.org',
  /\/home\/\S+/,
];

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('account settings', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(async () => {
    await pages?.close();
  });

  test('shows the account with the destination', async () => {
    const { page } = await open(AT_SERVICE, accountAnswers());
    await page.getByRole('tab').nth(1).click();
    const panel = page.getByRole('region', { name: 'Account' });
    await panel.getByText('anna@example.org').waitFor();
    await panel.getByText('backup.example.org').waitFor();
    await panel.getByText('with a device key').waitFor();
  });

  test('shows no account when backups go to a folder', async () => {
    const { page } = await open(PROTECTED, accountAnswers());
    await page.getByRole('tab').nth(1).click();
    await page.getByRole('region', { name: 'Check and repair' }).waitFor();
    expect(await page.getByRole('region', { name: 'Account' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByRole('region', { name: 'Recovery phrase' }).waitFor();
    expect(await page.getByRole('region', { name: 'Where you are signed in' }).count()).toBe(0);
  });

  test('lists the sessions after a sign-in, by keyboard alone', async () => {
    const shown = await open(AT_SERVICE, accountAnswers());
    const { page } = shown;
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Sign in to see…' }).waitFor();
    await tabTo(shown, /^Sign in to see/);
    await page.keyboard.press('Enter');
    // The address that is known is filled in, and the password has the focus.
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe('anna@example.org');
    await page.keyboard.press('Enter');
    expect(await page.getByText('Fill this in.').count()).toBe(1);
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByText(/The service does not accept this e-mail address and password\./).waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    await page.getByLabel('6-digit code').waitFor();
    await page.keyboard.type('123');
    await page.keyboard.press('Enter');
    await page.getByText('Enter all 6 digits.').waitFor();
    await page.keyboard.type('456');
    await page.keyboard.press('Enter');
    await page.getByText('Signed in as anna@example.org').waitFor();
    const rows = page.getByRole('region', { name: 'Where you are signed in' }).getByRole('listitem');
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^Holdfast, LinuxThis sign-in/) as string,
      expect.stringMatching(/^Firefox, LinuxLast used 3 hours ago.*203\.0\.113\.7End…$/) as string,
      expect.stringMatching(/^Unknown program/) as string,
    ]);

    await tabTo(shown, /^End Firefox, Linux$/);
    await page.keyboard.press('Enter');
    await page.getByText('It has to sign in again.').waitFor();
    await tabTo(shown, /^End$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(2);
    await tabTo(shown, /^End all others…$/);
    await page.keyboard.press('Enter');
    await page.getByText(/Computers keep backing up with their own keys/).waitFor();
    await tabTo(shown, /^End all others$/);
    await page.keyboard.press('Enter');
    await page.getByText('No other sessions.').waitFor();
    expect(callsOf(shown, 'account.end-session')).toEqual([{ id: 's2', destination: SERVICE.id }]);
    expect(callsOf(shown, 'account.end-other-sessions')).toEqual([{ destination: SERVICE.id }]);

    expect(callsOf(shown, 'account.leave')).toEqual([]);
    await page.getByRole('tab', { name: 'About' }).click();
    await expect.poll(() => callsOf(shown, 'account.leave')).toEqual([{}]);
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Sign in to see…' }).waitFor();
  });

  test('shows no sessions when the service lists none', async () => {
    const { page } = await open(AT_SERVICE, accountAnswers({ hasSessions: false }));
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByText('This service does not list sessions.').waitFor();
  });

  test('signs in again with a code after the service ended the sign-in', async () => {
    const shown = await open(SIGNED_OUT, accountAnswers());
    const { page } = shown;
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(shown);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const at = { destination: SERVICE.id };
    expect(callsOf(shown, 'account.sign-in')).toEqual([
      { email: 'anna@example.org', password: 'correct horse', ...at },
    ]);
    expect(callsOf(shown, 'account.sign-in-again')).toEqual([at]);
  });

  test('signs in through the browser, and cancels while waiting', async () => {
    const waiting: PromiseWithResolvers<void>[] = [];
    const shown = await open(SIGNED_OUT, {
      ...accountAnswers({ provider: true }),
      'account.sign-in-with-provider': async () => {
        const gate = Promise.withResolvers<void>();
        waiting.push(gate);
        await gate.promise;
        return { kind: 'factors', factors: [{ id: 'f1', kind: 'totp' }] };
      },
      'account.leave': () => {
        waiting.at(-1)!.reject(new HoldfastError('interrupted'));
        return {};
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Sign in again' }).click();
    const begin = page.getByRole('button', { name: 'Sign in with the browser' });
    await begin.click();
    await page.getByText('Continue in your browser. This window will wait.').waitFor();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByText('Your identity provider opens in the browser. Come back here afterwards.').waitFor();
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);

    await begin.click();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!.reject(
      new HoldfastError('provider_refused', { address: 'https://backup.example.org', detail: 'access denied' }),
    );
    await page.getByText(/The sign-in in your browser did not succeed: access denied\./).waitFor();

    await begin.click();
    await expect.poll(() => waiting.length).toBe(3);
    waiting[2]!.resolve();
    await page.getByLabel('6-digit code').fill('123456');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(callsOf(shown, 'account.sign-in-again')).toEqual([{ destination: SERVICE.id }]);
  });

  test('asks for the password again when the code is too late', async () => {
    let isOver = true;
    const answers = accountAnswers();
    const shown = await open(SIGNED_OUT, {
      ...answers,
      'account.verify-factor': (input) => {
        if (!isOver) return answers['account.verify-factor']!(input);
        isOver = false;
        throw new HoldfastError('signed_out');
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(shown);
    await page.getByText('The sign-in has timed out. Enter your password again.').waitFor();
    await signIn(shown);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('fits the window in every language and is accessible', async () => {
    const shown = await open(AT_SERVICE, accountAnswers({ isSignedIn: true }));
    const { page } = shown;
    await page.getByRole('tab', { name: 'Security' }).click();
    await page.getByText(/^Signed in as /).waitFor();
    await expectSoundEverywhere(shown, AT_SERVICE, DATA);
    await page.getByRole('button', { name: 'End Firefox, Linux' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await shown.faults()).toEqual([]);
    const other = await open(SIGNED_OUT, accountAnswers({ provider: true, factors: FACTORS }));
    await other.page.getByRole('button', { name: 'Sign in again' }).click();
    await other.page.getByText('Sign in with the browser').waitFor();
    expect(await other.faults()).toEqual([]);
    await fillPassword(other);
    await other.page.getByLabel('6-digit code').waitFor();
    expect(await other.faults()).toEqual([]);
  });
});

const FACTORS = [
  { id: 'f1', kind: 'totp' },
  { id: 'f2', kind: 'recovery' },
];

async function fillPassword({ page }: ShownWindow): Promise<void> {
  await page.getByLabel('E-mail address').fill('anna@example.org');
  await page.getByLabel('Password').fill('correct horse');
  await page.keyboard.press('Enter');
}

async function signIn(shown: ShownWindow): Promise<void> {
  await fillPassword(shown);
  await shown.page.getByLabel('6-digit code').fill('123456');
  await shown.page.keyboard.press('Enter');
}

async function open(state: AppState, answers: Answers): Promise<ShownWindow> {
  const shown = await pages.show(state, { ...OTHERS, ...answers });
  onTestFinished(() => shown.close());
  await shown.page.getByRole('navigation').getByRole('button').nth(5).click();
  return shown;
}
