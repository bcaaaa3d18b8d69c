import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { listen } from '../renderer/accessibility/announcements.ts';
import { faults, go, HAS_BROWSER, OWNER, openAsOwner, SECTIONS, usePortalPages } from './pages.ts';

/** The role of what has the focus, and its name, which is that of a heading. */
function place(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const place = document.activeElement;
    const names = (place.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent);
    return place.localName + ' ' + names.join(' ');
  })()`);
}

describe.skipIf(!HAS_BROWSER)('portal for screen readers', () => {
  const { open } = usePortalPages();

  test('focuses each section, which is named by its heading', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    for (const section of SECTIONS) {
      await go(page, section);
      const heading = await page.locator('h1').textContent();
      await expect.poll(() => place(page)).toBe(`main ${heading}`);
    }
  });

  test('focuses the page of a device by its name, and the list again by a link that vanishes', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await go(page, 'devices');
    const link = page.getByRole('link', { name: 'Reception' });
    await link.waitFor();
    // Each place that gets the focus is announced by the name that it has then.
    await page.evaluate(`(() => {
      const places = (window.holdfastTestPlaces = []);
      addEventListener('focusin', ({ target }) => places.push(target.querySelector('h1')?.textContent));
    })()`);
    await link.press('Enter');
    await expect.poll(() => place(page)).toBe('main Reception');
    expect(await page.evaluate('window.holdfastTestPlaces')).toEqual([undefined, 'Reception']);
    await page.getByRole('link', { name: 'All devices' }).press('Enter');
    await expect.poll(() => place(page)).toBe('main Devices');
  });

  test('keeps the focus in the section when a confirmed action removes its button, and says that it is done', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await go(page, 'devices');
    const said = await listen(page);
    await page.getByRole('button', { name: 'Revoke Reception' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await expect.poll(() => place(page)).toBe('main Devices');
    expect(await said()).toEqual(['Done']);
    expect(await faults(page)).toEqual([]);
  });

  test('returns to the section after an invitation, whose dialog opened from another', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await go(page, 'team');
    await page.getByRole('button', { name: 'Invite' }).press('Enter');
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('bob@example.org');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Invitation' }).waitFor();
    const said = await listen(page);
    await page.context().grantPermissions(['clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).press('Enter');
    await expect.poll(said).toEqual(['Copied']);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await expect.poll(() => place(page)).toBe('main Team');
    await page.getByRole('button', { name: /^Withdraw/ }).press('Enter');
    await page.getByText('Its link no longer works then.').waitFor();
  });

  test('focuses the steps of the first sign-in in which there is something to read', async () => {
    const { service, page } = await open();
    await page.goto(`${service.url}/#/set-up?token=${(await service.setUpToken())!}`);
    await page.getByLabel('E-mail address').fill(OWNER.email);
    await page.getByLabel('New password').fill(OWNER.password);
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    expect(await place(page)).toBe('section Second factor');
    const code = page.getByLabel(/Code from your/);
    await code.fill(service.code(await page.locator('.ui-secret code').innerText()));
    await code.press('Enter');
    await page.getByText('Keep your recovery codes').waitFor();
    await expect.poll(() => place(page)).toBe('section Keep your recovery codes');
    await page.getByRole('button', { name: 'I have kept them' }).press('Enter');
    await expect.poll(() => place(page)).toBe('main Overview');
  });
});
