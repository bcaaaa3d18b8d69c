import { describe, expect, onTestFinished, test } from 'vitest';
import {
  addWebhook,
  enrol,
  faults,
  firstStep,
  focused,
  go,
  HAS_BROWSER,
  openAsOwner,
  overflow,
  OWNER,
  SECTIONS,
  setUp,
  signOut,
  tabTo,
  usePortalPages,
} from './pages.ts';

describe.skipIf(!HAS_BROWSER)('portal', () => {
  const { open, openService, newPage } = usePortalPages();

  test('signs in a new owner, later with a code and a recovery code', async () => {
    const { service, page } = await open();
    const { secret, codes } = await setUp(service, page);
    expect(codes).toHaveLength(10);
    await signOut(page);

    await firstStep(page, 'wrong');
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await firstStep(page, OWNER.password);
    await page.getByLabel(/Code from your/).fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/code is wrong/).waitFor();
    await page.getByLabel(/Code from your/).fill(service.code(secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await signOut(page);
    await firstStep(page, OWNER.password);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[0]!);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await go(page, 'security');
    await page.getByText('9 of 10 are left.').waitFor();
  });

  test('is accessible and never wider than its window in both schemes', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await addWebhook(page, 'https://hooks.example.org/a-rather-long/path/that/goes/on/and/on');
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const section of SECTIONS) {
        await go(page, section);
        expect([section, width, await faults(page), await overflow(page)]).toEqual([section, width, [], 0]);
        // The colours are the same in each size.
        if (width === 320) continue;
        await page.emulateMedia({ colorScheme: 'dark' });
        expect([section, await faults(page, 'colours')]).toEqual([section, []]);
        await page.emulateMedia({ colorScheme: 'light' });
      }
    }
  });

  test('renames and revokes a device, by keyboard alone', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.addDevice('Laptop', 'Debian 12');
    await go(page, 'devices');
    await page.locator('h1').waitFor();
    await tabTo(page, 'Rename Laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Anna’s laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Anna’s laptop' }).waitFor();
    await tabTo(page, 'Revoke Anna’s laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Revoke Anna’s laptop');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    const [device] = await service.service.context.metadata.deviceActivity.list(await service.accountId());
    expect(device!.revokedAt).toBeDefined();
  });

  test.each(['All devices', 'Backups'])('leaves the focus on “%s” while a device loads', async (name) => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.addDevice('Laptop', 'Debian 12');
    await go(page, 'devices');
    const details = Promise.withResolvers<undefined>();
    onTestFinished(() => details.resolve(undefined));
    await page.route(/\/devices\/[^/]+$/, async (route) => {
      await details.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Laptop' }).click();
    await page.locator('main[aria-busy=true]').waitFor();
    const link = page.getByRole('link', { name });
    await link.focus();
    details.resolve(undefined);
    await page.getByRole('heading', { name: 'Laptop', level: 1 }).waitFor();
    await link.and(page.locator(':focus')).waitFor();
    expect(await page.title()).toBe('Laptop · Holdfast');
  });

  test('shows restore points, and explains why it shows no files', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await go(page, 'backups');
    await page.getByRole('button', { name: 'Show the restore points of Documents' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table').waitFor();
    expect(await dialog.getByRole('row').count()).toBe(22);
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain('/ledger');
    await page.getByRole('button', { name: 'Why there are no files here' }).click();
    await page
      .getByRole('dialog')
      .getByText(/sealed pieces/)
      .waitFor();
    expect(await faults(page)).toEqual([]);
  });

  test('describes chart values by arrow keys', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await page.reload();
    const chart = page.getByRole('slider', { name: /^Storage used each day/ });
    await chart.focus();
    const newest = await chart.getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).not.toBe(newest);
    await page.keyboard.press('End');
    expect(await chart.getAttribute('aria-valuetext')).toBe(newest);
  });

  test('adds a webhook, shows its secret once, and resends a delivery', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await go(page, 'webhooks');
    const secret = await addWebhook(page, 'https://hooks.example.org/a', ['device.registered']);
    await service.addDevice('Laptop', 'Debian 12');
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Deliveries to https://hooks.example.org/a' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('summary').filter({ hasText: 'device.registered' }).click();
    await dialog.getByText(/"device_name": "Laptop"/).waitFor();
    expect(await faults(page)).toEqual([]);
    await dialog.locator('details').getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('It is on its way again.').waitFor();
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('The test is on its way. It appears below.').waitFor();
    await dialog.locator('summary').filter({ hasText: 'webhook.test' }).waitFor();
    await dialog.getByRole('combobox', { name: 'Deliveries to send again' }).selectOption('All of the last hour');
    await dialog.locator('.portal-send').getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('2 deliveries are being sent again.').waitFor();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove https://hooks.example.org/a' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  test('invites a person, who joins with an own password and factor', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await go(page, 'team');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByLabel('E-mail address').fill('ben@example.org');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const address = await page.getByRole('dialog').locator('code').innerText();
    const other = await newPage();
    await other.goto(address);
    await other.getByLabel('New password').fill('another battery');
    await other.getByRole('button', { name: 'Continue' }).click();
    await enrol(service, other);
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    const sections = other.getByRole('navigation').getByRole('link');
    expect(await sections.allInnerTexts()).toEqual(['Overview', 'Devices', 'Backups', 'Security']);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('cell').getByText('ben@example.org').waitFor();
    await page.getByRole('button', { name: 'Remove ben@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('cell').getByText('ben@example.org').waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('changes password, factors and recovery codes, and ends other sessions', async () => {
    const { service, page } = await open();
    const secret = await openAsOwner(service, page);
    const other = await newPage();
    await other.goto(service.url);
    await firstStep(other, OWNER.password);
    await other.getByLabel(/Code from your/).fill(service.code(secret));
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();

    await go(page, 'security');
    await page.getByLabel('Current password').fill(OWNER.password);
    await page.getByLabel('New password').fill('a new battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password has been changed.').waitFor();
    await other.reload();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();

    await page.getByRole('button', { name: 'Add authenticator' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('New phone');
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(service.code(secret));
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    const added = await page.getByRole('dialog').locator('.ui-secret code').innerText();
    expect(await faults(page)).toEqual([]);
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(service.code(added));
    await page.getByRole('dialog').getByRole('button', { name: 'Add authenticator' }).click();
    await page.getByText('New phone').waitFor();

    await page.getByRole('button', { name: 'Create new codes' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(service.code(added));
    await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('button', { name: 'Remove New phone' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(service.code(secret));
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('New phone').waitFor({ state: 'detached' });
    await go(page, 'audit');
    await page.getByText('Password changed').waitFor();
  });

  test('uses the language of the browser, and remembers another choice', async () => {
    const service = await openService();
    const page = await newPage('de-AT');
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Diesen Dienst einrichten' }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
    await page.reload();
    await page.getByRole('heading', { name: 'Set up this service' }).waitFor();
    expect(await page.getAttribute('html', 'dir')).toBe('ltr');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('ar');
    await expect.poll(() => page.getAttribute('html', 'dir')).toBe('rtl');
    expect(await page.getAttribute('html', 'lang')).toBe('ar');
  });
});
