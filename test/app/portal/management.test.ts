import { describe, expect, test } from 'vitest';
import { CLIENT, startIdentityProvider } from '../../helpers/identity-provider/identity-provider.ts';
import {
  addWebhook,
  enrol,
  faults,
  go,
  HAS_BROWSER,
  invited,
  OWNER,
  openAsOwner,
  overflow,
  tabTo,
  usePortalPages,
} from './pages.ts';
import { startMailServer } from '../../helpers/service/mail-server.ts';
import { join, PortalBrowser, setUp } from './portal-browser.ts';

describe.skipIf(!HAS_BROWSER)('portal management', () => {
  const { open, openService, newPage } = usePortalPages();

  test('shows and changes the plan, and records payments', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await page.getByText(/^No plan is set/).waitFor();
    await page.getByRole('button', { name: 'Change plan' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Team');
    await dialog.getByLabel('Limit in GB').fill('many');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/^Type a number above 0/).waitFor();
    await dialog.getByLabel('Limit in GB').fill('1.5');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText(/Up to 1\.5\sGB\./).waitFor();
    await page.getByText('0 B of 1.5 GB used').waitFor();
    await page.getByRole('button', { name: 'Record a failed payment' }).click();
    await dialog.getByLabel('Reason').fill('card_declined');
    await dialog.getByLabel('Amount').fill('19.90');
    await dialog.getByLabel('Currency').fill('eur');
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^A payment has been missing since/).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByText(/^A payment has been missing since/).waitFor({ state: 'detached' });
    await go(page, 'audit');
    await page.getByText('Payment received').waitFor();
    await page.getByText('Team · limit 1.5 GB').waitFor();
    await page.getByText('card_declined · 19.90 EUR').waitFor();
  });

  test('previews and sets a policy, and pins a restore point by keyboard', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await go(page, 'backups');
    await page.getByRole('button', { name: 'Show the restore points of Accounts' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Every restore point is kept.').waitFor();
    const rows = dialog.getByRole('row');
    const oldest = await rows.last().getByRole('button').getAttribute('aria-label');
    await tabTo(page, oldest!);
    await page.keyboard.press('Enter');
    await rows.last().getByText('Pinned').waitFor();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await dialog.getByRole('button', { name: 'Choose what is kept' }).click();
    await dialog.getByText('Keep everything').click();
    await dialog.getByLabel('Weeks').fill('0');
    await dialog.getByLabel('Months').fill('0');
    await dialog.getByLabel('Days').fill('3');
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText(/^\d+ restore points would be removed\.$/).waitFor();
    await dialog.getByText(/will be freed on/).waitFor();
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByText('Kept: all of the last 2 days, the first and the last of 3 days. The rest is removed once a day.')
      .waitFor();
    expect(await dialog.getByText('Will be removed').count()).toBeGreaterThan(2);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await faults(page), await overflow(page)]).toEqual([width, [], 0]);
    }
  });

  test('shows a hold after an alarm, and releases it after a confirmation', async () => {
    const { service, page } = await open();
    const secret = await openAsOwner(service, page);
    await service.fill();
    service.advance(10 * 60_000);
    const { metadata, clock } = service.service.context;
    const { retention } = metadata;
    await retention.hold(await service.accountId(), clock.now());
    await go(page, 'backups');
    await page.getByRole('button', { name: 'Show the restore points of Documents' }).click();
    await page.getByText(/a backup showed signs of ransomware/).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow removal again' }).click();
    await page.getByText(/^Restore points that the policies do not keep/).waitFor();
    expect(await faults(page)).toEqual([]);
    const confirmation = page.getByRole('dialog').last();
    const confirm = confirmation.getByRole('button', { name: 'Allow removal again' });
    const code = page.getByRole('dialog', { name: 'Enter a code' });
    await confirm.click();
    await code.waitFor();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await page.keyboard.press('Escape');
    await page.getByText(/^Nothing was changed: this takes a code/).waitFor();
    expect(await retention.isHeld(await service.accountId())).toBe(true);
    await confirm.click();
    await code.getByLabel(/^Code from your/).fill('000000');
    await page.keyboard.press('Enter');
    await code.getByText(/code is wrong/).waitFor();
    await code.getByLabel(/^Code from your/).fill(service.code(secret));
    await page.keyboard.press('Enter');
    await page.getByText(/a backup showed signs of ransomware/).waitFor({ state: 'detached' });
    expect(await code.count()).toBe(0);
    expect(await retention.isHeld(await service.accountId())).toBe(false);
  });

  test('changes roles, and resets a lost second factor', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await invited(service, page, 'ben@example.org');
    await go(page, 'team');
    await page.getByRole('button', { name: 'Change the role of ben@example.org' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('admin');
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Admin · joined/).waitFor();
    await page.getByRole('button', { name: 'Reset factor of ben@example.org' }).click();
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Reset factor' }).click();
    await page.getByText('Not yet').waitFor();
    await go(page, 'audit');
    await page.getByText('Second factor reset').waitFor();
    await page.getByText('ben@example.org · Admin').waitFor();
  });

  test('erases a set after a code, shows when, and cancels it', async () => {
    const { service, page } = await open();
    const secret = await openAsOwner(service, page);
    const device = await service.addDevice('Laptop', 'linux');
    await service.backUp(device, 'Documents', { '/a': Buffer.alloc(100, 1) });
    service.advance(10 * 60_000 + 1);
    await go(page, 'security');
    await page.getByText('Nothing is to be erased.').waitFor();
    await page.getByRole('button', { name: 'Erase…' }).click();
    const dialog = page.getByRole('dialog').first();
    await dialog.getByRole('combobox', { name: 'What' }).selectOption('Backup set Documents of Laptop');
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: /^Download what this service stores/ }).click();
    expect((await saved).suggestedFilename()).toBe('holdfast-account.json');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    const code = page.getByRole('dialog', { name: 'Enter a code' });
    await code.getByLabel(/^Code from your/).fill(service.code(secret));
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Backup set Documents of Laptop' }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Cancel the erasure of/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the erasure' }).click();
    await page.getByText('Nothing is to be erased.').waitFor();
    await invited(service, page, 'ben@example.org');
    await go(page, 'team');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Erase ben@example.org' }).click();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go(page, 'security');
    await page.getByRole('cell', { name: 'ben@example.org, with their devices and backups' }).waitFor();
    await go(page, 'audit');
    await page.getByText('Erasure cancelled').waitFor();
  });

  test('mails a link for a new password, which takes the second factor', async () => {
    const mail = await startMailServer();
    const service = await openService({}, mail.url);
    const browser = new PortalBrowser(service);
    const secret = await setUp({ service, browser });
    const page = await newPage();
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Forgotten your password?' }).click();
    await page.getByLabel('E-mail address').fill(OWNER.email);
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText(/^If this address belongs to an account/).waitFor();
    expect(await faults(page)).toEqual([]);
    const { text } = await mail.next();
    await page.goto('about:blank');
    await page.goto(`${service.url}/${/#\/reset\S+/.exec(text)![0]}`);
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await page.getByLabel('New password').fill('another horse battery');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel(/^Code from your/).fill(service.code(secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).not.toContain('token');
    expect((await browser.ask('GET', '/portal/v1/usage')).status).toBe(401);
    await go(page, 'team');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByLabel('E-mail address').fill('ben@example.org');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText(/^The invitation was e-mailed to ben@example.org/).waitFor();
    expect((await mail.next()).to).toEqual(['ben@example.org']);
  });

  test('limits what a person backs up', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await invited(service, page, 'ben@example.org');
    await go(page, 'team');
    await page.getByRole('button', { name: 'Quota of ben@example.org' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Limit in GB').fill('much');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/^Type a number above 0/).waitFor();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await dialog.getByLabel('Limit in GB').fill('1.5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '0 B of 1.5 GB no devices' }).waitFor();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await faults(page), await overflow(page)]).toEqual([width, [], 0]);
    }
    await go(page, 'audit');
    await page.getByText('ben@example.org · limit 1.5 GB').waitFor();
  });

  test('shows an auditor everything without anything to change', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    const { name, value } = (await page.context().cookies(service.url))[0]!;
    const owner = new PortalBrowser(service);
    owner.cookie = `${name}=${value}`;
    const auditor = await join(service, owner, 'aldo@example.org', 'auditor');
    const [cookie, session] = auditor.cookie.split('=') as [string, string];
    await page.context().addCookies([{ name: cookie, value: session, url: service.url }]);
    await page.goto('about:blank');
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.locator('nav').getByRole('link').allInnerTexts()).toEqual([
      'Overview',
      'Devices',
      'Backups',
      'Team',
      'Security',
      'Audit log',
    ]);
    await go(page, 'team');
    await page.getByRole('cell', { name: /Auditor/ }).waitFor();
    expect([await faults(page), await page.locator('main').getByRole('button').count()]).toEqual([[], 0]);
    await go(page, 'security');
    await page.getByText('Nothing is to be erased.').waitFor();
    expect(await page.getByRole('button', { name: 'Erase…' }).count()).toBe(0);
    await go(page, 'audit');
    await page.getByText('Joined the team').waitFor();
  });

  test('changes address and events of a webhook', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await addWebhook(page, 'https://hooks.example.org/a', ['device.offline']);
    await page.getByRole('button', { name: 'Edit https://hooks.example.org/a' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('https://hooks.example.org/b');
    await dialog.getByText('backup.warning').click();
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://hooks.example.org/b').waitFor();
    await page.getByRole('cell', { name: '2 events' }).waitFor();
  });

  test('loads older entries of the audit log', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    const { metadata, clock } = service.service.context;
    const accountId = await service.accountId();
    for (let index = 0; index < 60; index += 1) {
      const entry = { accountId, kind: 'session.ended', occurredAt: clock.now() } as const;
      await metadata.audit.record(entry);
    }
    await go(page, 'audit');
    expect(await page.getByRole('row').count()).toBe(51);
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await page.getByText('Account created').waitFor();
    await page.getByText('These are all entries.').waitFor();
    expect(await faults(page)).toEqual([]);
  });

  test('signs in through an identity provider with a second factor', async () => {
    let url = '';
    const issuer = await startIdentityProvider(() => `${url}/auth/v1/callback`);
    const service = await openService({ signup: true, providers: [{ name: 'company', issuer, ...CLIENT }] });
    ({ url } = service);
    await setUp({ service, browser: new PortalBrowser(service) });
    const page = await newPage();
    // The pages of the provider request fonts from other hosts.
    await page.route(
      ({ hostname }) => hostname !== '127.0.0.1',
      (route) => route.fulfill({ body: '' }),
    );
    await page.goto(`${url}/?code=of-somebody-else`);
    await page.getByText(/^This sign-in was started elsewhere/).waitFor();
    expect([page.url(), await faults(page)]).toEqual([`${url}/`, []]);
    await page.getByRole('button', { name: 'Sign in with company' }).click();
    await page.locator('input[name=login]').fill('carla');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').filter({ hasText: 'Continue' }).click();
    await enrol(service, page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('carla@example.com').waitFor();
    expect(page.url()).not.toContain('code');
  });
});
