import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cookie, Page } from 'playwright';
import { describe, test } from 'vitest';
import { addFleet } from './fleet.ts';
import { addPeople } from './many-people.ts';
import { addWebhook, go, HAS_BROWSER, openAsOwner, SECTIONS, usePortalPages } from './pages.ts';

const FOLDER = join(import.meta.dirname, '../../../test-results/portal');
const HAS_PICTURES = (process.env['HOLDFAST_PICTURES'] ?? '') !== '';

const LOOKS = [
  ['light', 1280, 'en-GB'],
  ['dark', 1280, 'de-AT'],
  ['light', 360, 'de-AT'],
  ['light', 1280, 'ar-EG'],
] as const;

/** Chooses rows, or opens entries, where there are any. */
async function openMore(page: Page, section: string): Promise<boolean> {
  const [boxes, entries] = [page.locator('.ui-table .ui-checkbox'), page.locator('.portal-audit > summary')];
  const parts = section === 'audit' ? entries : boxes;
  if (!['devices', 'team', 'audit'].includes(section) || (await parts.count()) === 0) return false;
  for (let index = 0; index < Math.min(3, await parts.count()); index += 1) await parts.nth(index).click();
  return true;
}

/* Pictures of every section, to look at: HOLDFAST_PICTURES=1. */
describe.skipIf(!HAS_BROWSER || !HAS_PICTURES)('pictures of the portal', () => {
  const { openService, newPage } = usePortalPages();

  test.each([0, 5, 2_000])('with %d devices', async (count) => {
    await mkdir(FOLDER, { recursive: true });
    const service = await openService();
    let cookies: Cookie[] | undefined;
    let device: string | undefined;
    for (const [scheme, width, locale] of LOOKS) {
      const page = await newPage(locale);
      if (cookies === undefined) {
        await openAsOwner(service, page);
        if (count > 0) {
          await service.fill();
          await addWebhook(page, 'https://hooks.example.org/a-rather-long/path/that/goes/on/and/on');
          const ids = [
            await service.addDevice('Ben’s laptop', 'Debian 13'),
            await service.addDevice('New one', 'macOS 15'),
          ];
          const files = (version: number) =>
            Object.fromEntries(
              Array.from({ length: 60 }, (_, index) => [`/${index}`, Buffer.from(`${version} ${index}`)]),
            );
          await service.daysAgo(1, () => service.backUp(ids[0]!, 'Pictures', files(1)));
          await service.backUp(ids[0]!, 'Pictures', files(2));
          await service.abort(ids[0]!, await service.begin(ids[0]!, 'Pictures', files(3)));
          device = ids[0];
        }
        if (count > 5) {
          await addFleet(service, count - 5);
          await addPeople(service, 300);
          device = 'dev_fleet000039';
        }
        cookies = await page.context().cookies(service.url);
      }
      await page.context().addCookies(cookies);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(service.url);
      await page.locator('h1').waitFor();
      for (const section of SECTIONS) {
        await go(page, section);
        await page.screenshot({
          path: join(FOLDER, `${count}-${section}-${scheme}-${width}-${locale}.png`),
          fullPage: true,
        });
        if (!(await openMore(page, section))) continue;
        await page.screenshot({ path: join(FOLDER, `${count}-${section}-more-${scheme}-${width}-${locale}.png`) });
      }
      if (device === undefined) continue;
      await go(page, 'webhooks');
      await page.locator('.ui-table .ui-button').first().click();
      await page.locator('.portal-send').waitFor();
      await page.screenshot({ path: join(FOLDER, `${count}-deliveries-${scheme}-${width}-${locale}.png`) });
      await page.evaluate(`location.hash = '#/devices/${device}'`);
      await page.locator('.portal-health').first().waitFor();
      await page.screenshot({ path: join(FOLDER, `${count}-device-${scheme}-${width}-${locale}.png`), fullPage: true });
    }
  });
});
