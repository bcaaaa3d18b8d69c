import { describe, expect, test } from 'vitest';
import { addFleet } from './fleet.ts';
import { faults, go, HAS_BROWSER, openAsOwner, overflow, usePortalPages } from './pages.ts';

describe.skipIf(!HAS_BROWSER)('the portal with 2,000 devices', () => {
  const { open } = usePortalPages();

  test('searches, filters and turns pages at the service, and shows a device', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await addFleet(service, 2_000);
    await page.reload();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.getByRole('link', { name: /more devices need attention$/ }).click();
    const rows = page.getByRole('row');
    await page.getByText('1–50 of 2,000').waitFor();
    expect(await rows.count()).toBe(51);
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–100 of 2,000').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Not seen recently (50)' });
    await page.getByText(/51–100 of/).waitFor({ state: 'detached' });
    await expect.poll(() => rows.count()).toBe(51);
    await page.getByRole('searchbox').fill('ZÜRICH');
    await expect.poll(() => rows.count()).toBe(1 + 16);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('Nothing matches').waitFor();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('searchbox').fill('reception 014');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('');
    await page.getByRole('link', { name: 'Reception 014' }).click();
    await page.getByRole('heading', { name: 'Reception 014' }).waitFor();
    await page.getByText('anna@example.org').last().waitFor();
    await page.getByRole('img', { name: /^Backups on \d+ days of the last 90/ }).waitFor();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await faults(page), await overflow(page)]).toEqual([width, [], 0]);
    }
    await page.getByRole('link', { name: 'All devices' }).click();
    await go(page, 'backups');
    await page.getByText(/^1–50 of 1,9\d\d$/).waitFor();
    await page.getByRole('searchbox').fill('workshop 00');
    await expect.poll(() => rows.count()).toBe(10);
  });

  test('shows an alarm in place of "protected", and its way out', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await service.fill();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const id = await service.addDevice('Ben’s laptop', 'Debian 13');
    const files = (version: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`/${index}`, Buffer.from(`${version} ${index}`)]));
    await service.daysAgo(1, () => service.backUp(id, 'Pictures', files(1)));
    await service.backUp(id, 'Pictures', files(2));
    await page.reload();
    await page.getByRole('heading', { name: 'Signs of ransomware in Pictures on Ben’s laptop' }).waitFor();
    expect(await page.getByText(/Every device is protected/).count()).toBe(0);
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Allow removal again' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^Restore points that the policies/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Show device Ben’s laptop' }).click();
    await page.getByRole('heading', { name: 'Ben’s laptop' }).waitFor();
    await page.getByRole('row', { name: /Signs of ransomware/ }).waitFor();
    expect([await faults(page), await overflow(page)]).toEqual([[], 0]);
  });
});
