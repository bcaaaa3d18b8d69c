import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { ReportSettings, ReportState } from '../../../src/ipc/contract/report.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const SETTINGS: ReportSettings = {
  isOn: true,
  weekday: 1,
  minute: 540,
  to: ['anna@example.org'],
  host: 'smtp.example.org',
  port: 465,
  security: 'tls',
  user: 'anna@example.org',
  withNames: false,
};
const REPORT = {
  device: 'Anna’s laptop',
  from: NOW - 7 * 86_400_000,
  to: NOW,
  destinations: [
    {
      name: 'Backup disk',
      storedBytes: 214_000_000_000,
      grownBytes: 1_200_000_000,
      sets: [
        {
          name: 'Documents',
          lastPoint: { at: new Date(NOW).toISOString(), files: 12_873, bytes: 41_000_000_000 },
          runs: { succeeded: 33, warned: 1, failed: 2, stopped: 0 },
          bytesUploaded: 1_300_000_000,
          warnings: [{ reason: 'permission-denied', files: 2 }],
          drill: { at: NOW, files: 200, failures: 0 },
        },
      ],
    },
  ],
};

/** Data of the report and of the state, and what Intl writes. */
const DATA = [
  'Anna’s laptop',
  'Documents',
  'Backup disk',
  /[\w.]+@example\.org/,
  'smtp.example.org',
  /\/[\w/. -]+(…[\w/. -]*)?/,
];

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('the weekly report in settings', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(async () => {
    await pages?.close();
  });

  test('is set up, with TLS unless the person says otherwise', async () => {
    const shown = await open({ hasPassword: false });
    const { page } = shown;
    await page.getByRole('button', { name: 'Set up…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter one to ten e-mail addresses.').waitFor();
    await dialog.getByText('Enter the name of a server, without https:// and without a port.').waitFor();
    expect(callsOf(shown, 'report.save')).toEqual([]);
    await dialog.getByLabel('To').fill('anna@example.org, ben@example.org');
    await dialog.getByLabel('Mail server').fill(' smtp.example.org ');
    await dialog.getByLabel('User name').fill('anna@example.org');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter the password of this user.').waitFor();
    await dialog.getByLabel('Password').fill('secret');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(callsOf(shown, 'report.save')).toEqual([
      { settings: { ...SETTINGS, to: ['anna@example.org', 'ben@example.org'] }, password: 'secret' },
    ]);
  });

  test('changes its port with the encryption, and asks for the password of another server', async () => {
    const shown = await open({ settings: SETTINGS, hasPassword: true });
    const { page } = shown;
    await page.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Leave it empty to keep the stored one. Another server or user needs it again.').waitFor();
    await dialog.getByRole('button', { name: /Encryption/ }).click();
    await page.getByRole('option', { name: 'STARTTLS (port 587)' }).click();
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Port' }).inputValue()).toBe('587');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter the password of this user.').waitFor();
    expect(callsOf(shown, 'report.save')).toEqual([]);
  });

  test('is switched off, sent as a test, and removed', async () => {
    const shown = await open({ settings: SETTINGS, hasPassword: true, nextAt: NOW + 86_400_000 });
    const { page } = shown;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Sent to anna@example.org.').waitFor();
    await page.getByRole('switch', { name: 'Send a weekly report' }).press('Space');
    await expect.poll(() => callsOf(shown, 'report.save')).toEqual([{ settings: { ...SETTINGS, isOn: false } }]);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => callsOf(shown, 'report.remove')).toEqual([{}]);
  });

  test('says why the last one and a test could not be sent', async () => {
    const failure = { code: 'mail_failed' as const, details: { server: 'smtp.example.org' } };
    const failed = { at: NOW - 7_200_000, failure };
    const refuse = (): never => {
      throw new HoldfastError('mail_failed', { server: 'smtp.example.org', problem: 'sign-in' });
    };
    const { page } = await open({ settings: SETTINGS, hasPassword: true, failed }, { 'report.send-test': refuse });
    await page.getByText('The report could not be sent 2 hours ago. Holdfast tries again every hour.').waitFor();
    expect(
      await page.getByText('The mail server smtp.example.org did not take the report. Try again later.').count(),
    ).toBe(1);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/did not accept the user or the password/).waitFor();
  });

  test('shows what it would say, in the words of the mail', async () => {
    const { page } = await open({ settings: SETTINGS, hasPassword: true });
    await page.getByRole('button', { name: 'Preview…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Subject: Backups of Anna’s laptop: 1 of 1 need a look').waitFor();
    await dialog.getByRole('row', { name: 'Contains 12,873 files, 41 GB' }).waitFor();
  });

  test.each([
    ['in its panel', undefined],
    ['in its form', 1],
    ['in its preview', 2],
  ])('fits and is readable in every language %s', async (_name, button) => {
    const shown = await open({
      settings: SETTINGS,
      hasPassword: true,
      sentAt: NOW - 86_400_000,
      nextAt: NOW + 86_400_000,
    });
    if (button !== undefined) {
      const panel = shown.page.locator('.ui-panel', { has: shown.page.getByText('Weekly report by e-mail') });
      await panel
        .getByRole('button')
        .nth(button - 1)
        .click();
      await shown.page.getByRole('dialog').waitFor();
    }
    await expectSoundEverywhere(shown, PROTECTED, DATA);
  });
});

function answersOf(state: ReportState, more: Answers = {}): Answers {
  return {
    'shell.abilities': () => ({
      startAtLogin: true,
      fileManagers: true,
      tray: true,
      notifications: true,
      platform: 'linux',
      locale: 'en-GB',
    }),
    'report.get': () => state,
    'report.save': () => ({}),
    'report.remove': () => ({}),
    'report.preview': () => ({ report: REPORT }),
    'report.send-test': () => ({}),
    ...more,
  };
}

async function open(state: ReportState, more: Answers = {}): Promise<ShownWindow> {
  const shown = await pages.show(PROTECTED, answersOf(state, more));
  onTestFinished(() => shown.close());
  await shown.page.getByRole('button', { name: 'Settings' }).first().click();
  await shown.page.getByRole('heading', { name: 'Weekly report by e-mail' }).waitFor();
  return shown;
}
