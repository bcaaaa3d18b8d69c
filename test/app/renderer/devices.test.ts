import type { Locator } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ListedDevice } from '../../../src/ipc/contract/account/devices.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { accountAnswers } from './account-answers.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf, tabTo } from './keyboard.ts';
import { AT_SERVICE, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const OWN: ListedDevice = {
  id: 'dev_1',
  name: 'Anna’s laptop',
  platform: 'Debian 13',
  isThisOne: true,
  status: 'healthy',
  lastBackup: new Date(NOW - 12 * 60_000).toISOString(),
};
const STUDIO: ListedDevice = {
  id: 'dev_2',
  name: 'Studio',
  platform: 'macOS 26',
  isThisOne: false,
  status: 'offline',
  lastBackup: new Date(NOW - 9 * 86_400_000).toISOString(),
  lastSeen: new Date(NOW - 3 * 3_600_000).toISOString(),
};
const NETBOOK: ListedDevice = { id: 'dev_3', name: 'Old netbook', isThisOne: false, status: 'revoked' };
const DATA = ['Anna’s laptop', 'Debian 13', 'Studio', 'macOS 26', 'Old netbook', 'https://backup.example.org'];

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('devices view', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(async () => {
    await pages?.close();
  });

  test('lists this computer and others with their state', async () => {
    const { page } = await open(AT_SERVICE, listing([OWN, STUDIO, NETBOOK]));
    const studio = page.getByRole('listitem').filter({ hasText: 'Studio' });
    await studio.waitFor();
    expect(await studio.textContent()).toMatch(/Not seen recently.*macOS 26.*Last seen3 hours ago/);
    expect(await page.getByRole('listitem').filter({ hasText: 'Old netbook' }).textContent()).toContain('Revoked');
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(1);
  });

  test('scrolls by keyboard in a small window that shows no control', async () => {
    const shown = await open(PROTECTED, listing([OWN]));
    const { page } = shown;
    await page.setViewportSize({ width: 640, height: 400 });
    await page.getByRole('heading', { name: 'Anna’s laptop' }).waitFor();
    await expect.poll(() => shown.faults()).toEqual([]);
    await page.getByRole('navigation').getByRole('button').last().focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate<number>("document.querySelector('#content').scrollTop")).toBeGreaterThan(0);
    await page.setViewportSize({ width: 1000, height: 1200 });
    await expect.poll(() => page.evaluate("document.querySelector('#content').tabIndex")).toBe(-1);
  });

  /** Waits until a field has the focus. */
  async function focusOf(field: Locator): Promise<void> {
    await field.and(field.page().locator(':focus')).waitFor();
  }

  test('revokes a device by keyboard alone, with a sign-in when the service demands it', async () => {
    const devices = [OWN, STUDIO];
    let isSignedIn = false;
    const shown = await open(AT_SERVICE, {
      'devices.list': () => ({ devices, canRevoke: true }),
      ...accountAnswers({ signedIn: () => (isSignedIn = true) }),
      'key.renew': () => ({ later: [], needPhrase: [], services: [], lostPassphrase: false }),
      'devices.revoke': () => {
        if (!isSignedIn) throw new HoldfastError('permission_denied');
        devices[1] = { ...STUDIO, status: 'revoked' };
        return {};
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Revoke Studio' }).waitFor();
    await tabTo(shown, /^Revoke Studio$/);
    await page.keyboard.press('Enter');
    await page.getByText(/That computer can no longer back up or restore\./).waitFor();
    await tabTo(shown, /^Revoke$/);
    await page.keyboard.press('Enter');
    await focusOf(page.getByLabel('Password'));
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    await focusOf(page.getByLabel('6-digit code'));
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong. Wait for the next one and try again.').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('123456');
    await page.keyboard.press('Enter');
    await page.getByText('“Studio” is revoked.').waitFor();
    expect(callsOf(shown, 'devices.revoke')).toEqual([{ id: 'dev_2' }, { id: 'dev_2' }]);
    // The sign-in has ended.
    await expect.poll(() => callsOf(shown, 'account.leave')).toEqual([{}]);
    await expect.poll(() => page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
    // It still has the key.
    await page.getByText(/“Studio” can no longer reach the service, but it still has the key\./).waitFor();
    expect(await shown.faults()).toEqual([]);
    await tabTo(shown, /^Change the key$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => callsOf(shown, 'key.renew')).toEqual([{ revoke: 'dev_2' }]);
  });

  test('explains why there are no others in a folder', async () => {
    const alone = await open(PROTECTED, listing([OWN], false));
    await alone.page.getByText('No other computer backs up here').waitFor();
    await alone.page.getByText(/Your backups go to a folder or a bucket/).waitFor();
  });

  test('removes a computer of a folder by changing the key, and shows the new phrase', async () => {
    const shown = await open(PROTECTED, {
      ...listing([OWN, STUDIO, NETBOOK], false),
      'key.renew': () => ({ later: [], needPhrase: [], services: [], lostPassphrase: false }),
    });
    const { page } = shown;
    await page.getByText(/Removing a computer changes the key/).waitFor();
    expect(await page.getByRole('button', { name: /^(Revoke|Remove Old)/ }).count()).toBe(0);
    await tabTo(shown, /^Remove Studio and change the key$/);
    await page.keyboard.press('Enter');
    await page.getByText(/You get a new recovery phrase/).waitFor();
    expect(await shown.faults()).toEqual([]);
    await tabTo(shown, /^Remove and change the key$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => callsOf(shown, 'key.renew')).toEqual([{ revoke: 'dev_2' }]);
    // The new phrase is next.
    await expect.poll(() => page.getByRole('heading', { name: 'Devices' }).count()).toBe(0);
  });

  test('names what prevents a removal, and stays open', async () => {
    const { page } = await open(PROTECTED, {
      ...listing([OWN, STUDIO], false),
      'key.renew': () => {
        throw new HoldfastError('key_outdated', {});
      },
    });
    await page.getByRole('button', { name: 'Remove Studio and change the key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove and change the key' }).click();
    await page
      .getByRole('dialog')
      .getByText(/this computer does not have the new one/)
      .waitFor();
  });

  test('shows a failure and retries', async () => {
    let tries = 0;
    const { page } = await open(AT_SERVICE, {
      'devices.list': () => {
        tries += 1;
        if (tries > 1) return { devices: [OWN], canRevoke: true };
        throw new HoldfastError('service_unreachable', { address: 'https://backup.example.org' });
      },
    });
    await page.getByText(/https:\/\/backup\.example\.org cannot be reached\./).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Up to date').waitFor();
  });

  test('fits the window in every language and is accessible', async () => {
    const shown = await open(AT_SERVICE, listing([OWN, STUDIO, NETBOOK]));
    await shown.page.getByText('Old netbook').waitFor();
    await expectSoundEverywhere(shown, AT_SERVICE, DATA);
    await shown.page.getByRole('button', { name: 'Revoke Studio' }).click();
    await shown.page.getByRole('dialog').waitFor();
    expect(await shown.faults()).toEqual([]);
  });
});

async function open(state: AppState, answers: Answers): Promise<ShownWindow> {
  const shown = await pages.show(state, answers);
  onTestFinished(() => shown.close());
  await shown.page.getByRole('navigation').getByRole('button').nth(4).click();
  return shown;
}

function listing(devices: readonly ListedDevice[], canRevoke = true): Answers {
  return { 'devices.list': () => ({ devices: [...devices], canRevoke }) };
}
