import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { addFleet } from './fleet.ts';
import { addPeople } from './many-people.ts';
import { faults, go, HAS_BROWSER, openAsOwner, overflow, usePortalPages } from './pages.ts';

const NARROW = { width: 360, height: 800 };
const WIDE = { width: 1280, height: 800 };

describe.skipIf(!HAS_BROWSER)('the portal with hundreds of people', () => {
  const { open } = usePortalPages();

  test('filters and exports the audit log, and keeps the filter in the address', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await addFleet(service, 5);
    await addPeople(service, 300);
    const rows = page.getByRole('row');
    await page.evaluate("location.hash = '#/audit?what=team&from=nonsense'");
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await expect.poll(() => rows.count()).toBe(51);
    expect(await page.getByRole('combobox', { name: 'What' }).inputValue()).toBe('team');
    await page.getByRole('button', { name: 'Search older entries' }).click();
    await expect.poll(() => rows.count()).toBe(101);
    await page.getByRole('searchbox').fill('PERSON 017');
    await expect.poll(() => rows.count()).toBe(1 + 1);
    await page.getByText('These are all entries that match.').waitFor();
    expect(new URL(page.url()).hash).toContain('search=PERSON+017');
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1 + 1);
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size);
      expect([size.width, await faults(page), await overflow(page)]).toEqual([size.width, [], 0]);
    }
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const file = await text(await (await download).createReadStream());
    expect(file.trimEnd().split('\r\n')).toEqual([
      expect.stringContaining('"occurred_at"'),
      expect.stringContaining('"person 017@example.org"'),
    ]);
    await page.getByLabel('From').fill('2001-01-01');
    await page.getByLabel('To').fill('2001-01-31');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(51);
    expect(new URL(page.url()).hash).toBe('#/audit');
    await page.getByRole('combobox', { name: 'Device' }).selectOption({ label: 'Reception 001' });
    await page.getByText('Nothing matches').waitFor();
  });

  test('searches, filters, sorts and turns pages of the team at the service', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await addPeople(service, 300);
    await go(page, 'team');
    const rows = page.getByRole('row');
    await page.getByText('1–50 of 301').waitFor();
    expect(await rows.count()).toBe(51);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–100 of 301').waitFor();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('active');
    await page.getByText('1–50 of 301').waitFor();
    await expect.poll(() => rows.nth(1).innerText()).toContain('anna@example.org');
    await page.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Not active for 30 days (30)' });
    await expect.poll(() => rows.count()).toBe(31);
    await page.getByRole('searchbox').fill('PERSON 01');
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.getByRole('combobox', { name: 'Sort by' }).inputValue()).toBe('active');
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size);
      expect([size.width, await faults(page), await overflow(page)]).toEqual([size.width, [], 0]);
    }
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('Nothing matches').waitFor();
  });
});
