import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';
import { revokeDevice } from '../../../src/service/devices/devices.ts';
import { addFleet } from './fleet.ts';
import { addPeople } from './many-people.ts';
import { faults, go, HAS_BROWSER, openAsOwner, overflow, usePortalPages } from './pages.ts';
import type { PortalService } from './portal-service.ts';

const WIDTHS = [320, 1280];
/** Milliseconds after which an entered code counts no longer. */
const AFTER_THE_CODE = 11 * 60_000;

async function enterCode(service: PortalService, page: Page, secret: string): Promise<void> {
  await page.getByLabel('Code from your authenticator app').fill(service.code(secret));
  await page.getByRole('dialog', { name: 'Enter a code' }).getByRole('button', { name: 'Continue' }).click();
}

/** Whether a press on the middle of the button above the table reaches it. */
const IS_ON_TOP = `(() => {
  const button = document.querySelector('.portal-selection > .ui-row button');
  const { x, y, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
})()`;

describe.skipIf(!HAS_BROWSER)('several rows at once', () => {
  const { open } = usePortalPages();

  test('devices of several pages are revoked with one fresh code, and what failed is named and stays selected', async () => {
    const { service, page } = await open();
    const secret = await openAsOwner(service, page);
    await addFleet(service, 60);
    await go(page, 'devices');
    await page.getByText('1–50 of 60').waitFor();
    await page.getByRole('checkbox', { name: 'Select Reception 001' }).press('Space');
    await page.getByText('1 selected').waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await faults(page), await overflow(page)]).toEqual([width, [], 0]);
      // What acts on the selection stays in view further down, below what else stays there.
      await page.locator('.ui-table').getByRole('checkbox').last().focus();
      expect([width, await page.evaluate(IS_ON_TOP)]).toEqual([width, true]);
    }
    await page.getByText('Select all shown').click();
    await page.getByText('50 selected').waitFor();
    await page.getByText('Select all shown').click();
    expect(await page.getByText(/selected$/).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select Reception 001' }).press('Space');
    await page.getByRole('checkbox', { name: 'Select Accounting 001' }).press('Space');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–60 of 60').waitFor();
    await page.getByText('Select all shown').click();
    await page.getByText('12 selected').waitFor();

    // Somebody else revokes one of them meanwhile.
    const account = await service.accountId();
    await revokeDevice(service.service.context, account, 'dev_fleet000001');
    service.advance(AFTER_THE_CODE);
    await page.locator('.portal-selection').getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke 12 devices?' });
    await dialog.getByText('Accounting 001').waitFor();
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await enterCode(service, page, secret);
    await dialog.getByText('11 done.').waitFor();
    expect(await dialog.getByText(/^Accounting 001: /).count()).toBe(1);
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('1 selected').waitFor();
    const all = await service.service.context.metadata.deviceActivity.list(account);
    const revoked = all.filter(({ revokedAt }) => revokedAt !== undefined);
    expect(revoked).toHaveLength(12);
    expect(revoked.map(({ id }) => id)).toContain('dev_fleet000000');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await page.getByText(/selected$/).count()).toBe(0);
  });

  test('people are removed, and a cancelled code leaves everybody', async () => {
    const { service, page } = await open();
    const secret = await openAsOwner(service, page);
    await addPeople(service, 60);
    await go(page, 'team');
    await page.getByText('1–50 of 61').waitFor();
    // Nobody removes themselves.
    expect(await page.getByRole('checkbox', { name: /Select anna@example\.org/ }).count()).toBe(0);
    const boxes = page.getByRole('checkbox', { name: /^Select [^a]/ });
    await boxes.nth(0).press('Space');
    await boxes.nth(1).press('Space');
    const count = async () => (await service.service.context.metadata.members.list(await service.accountId())).length;
    const before = await count();
    const remove = async (): Promise<void> => {
      await page.locator('.portal-selection').getByRole('button', { name: 'Remove' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove 2 people from the account?' });
      await dialog.getByRole('button', { name: 'Remove' }).click();
    };
    service.advance(AFTER_THE_CODE);
    await remove();
    await page.getByRole('dialog', { name: 'Enter a code' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 were not done, and are still selected.').waitFor();
    expect(await page.getByText(/: not tried$/).count()).toBe(1);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await count()).toBe(before);
    await remove();
    await enterCode(service, page, secret);
    await page.getByText('2 done.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('1–50 of 59').waitFor();
    expect(await count()).toBe(before - 2);
  });

  test('an audit entry opens with what was there before and after', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await addFleet(service, 2);
    await go(page, 'devices');
    await page.getByRole('button', { name: 'Rename Reception 001' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Front desk');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Front desk' }).waitFor();
    await go(page, 'audit');
    await page.getByText('Device renamed').click();
    const facts = page.locator('.portal-audit-facts');
    await facts.waitFor();
    const text = (await facts.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('Name Before Reception 001 After Front desk');
    expect(text).toContain('dev_fleet000000');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await faults(page), await overflow(page)]).toEqual([width, [], 0]);
    }
  });
});
