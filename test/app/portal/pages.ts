import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { AccountSettings } from '../../../src/service/auth/account-settings.ts';
import { faultsOf } from '../../helpers/browser/axe.ts';
import type { Scope } from '../../helpers/browser/axe.ts';
import { CHROMIUM, testBrowser } from '../../helpers/browser/server.ts';
import { ReusedPages } from '../../helpers/browser/reused-pages.ts';
import { sharedResource } from '../../helpers/shared/shared-resource.ts';
import { join, PortalBrowser, setUp as setUpByRequests } from './portal-browser.ts';
import { PortalService } from './portal-service.ts';

export const HAS_BROWSER = CHROMIUM !== undefined;
export const SECTIONS = ['overview', 'devices', 'backups', 'webhooks', 'team', 'security', 'audit'] as const;
export const OWNER = { email: 'anna@example.org', password: 'correct horse battery' };

/** Builds the page for the tests of a file, and has pages in the browser for it. */
export function usePortalPages() {
  let folder: string;
  let pages: ReusedPages;
  beforeAll(async () => {
    folder = await sharedResource('portal-page');
    pages = new ReusedPages(await testBrowser());
  });
  afterAll(async () => {
    await pages?.close();
  });
  const openService = async (
    accounts?: Partial<AccountSettings>,
    mailServer?: string,
    publicUrl?: string,
  ): Promise<PortalService> => {
    const service = await PortalService.open(folder, publicUrl, accounts, mailServer);
    onTestFinished(() => service.close());
    return service;
  };
  const newPage = (locale = 'en-GB'): Promise<Page> => openPage(pages, locale);
  const open = async (): Promise<{ service: PortalService; page: Page }> => ({
    service: await openService(),
    page: await newPage(),
  });
  return { openService, newPage, open };
}

/** Opens a page in its own context. Errors and violations of its policy fail the test. */
async function openPage(pages: ReusedPages, locale: string): Promise<Page> {
  const page = await pages.open(locale);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isAnswer = /the server responded with a status of 4/.test(message.text());
    if (message.type() === 'error' && !isAnswer) problems.push(message.text());
  });
  onTestFinished(async () => {
    // Another service is at the same address later.
    await page.evaluate('localStorage.clear(), sessionStorage.clear()').catch(() => undefined);
    await pages.giveBack(page, locale);
    expect(problems).toEqual([]);
  });
  return page;
}

/** Signs the owner in without the page, and shows the overview. Returns the secret of the second factor. */
export async function openAsOwner(service: PortalService, page: Page): Promise<string> {
  const browser = new PortalBrowser(service);
  const secret = await setUpByRequests({ service, browser });
  const [name, value] = browser.cookie.split('=') as [string, string];
  await page.context().addCookies([{ name, value, url: service.url }]);
  await page.goto(service.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return secret;
}

/** Sets the service up on its page, and enrols a second factor. */
export async function setUp(service: PortalService, page: Page): Promise<{ secret: string; codes: string[] }> {
  await page.goto(`${service.url}/#/set-up?token=${(await service.setUpToken())!}`);
  await page.getByLabel('E-mail address').fill(OWNER.email);
  await page.getByLabel('New password').fill(OWNER.password);
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  const entered = await enrol(service, page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(page.url()).not.toContain('token');
  return entered;
}

export async function enrol(service: PortalService, page: Page): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  expect(await faults(page)).toEqual([]);
  const secret = await page.locator('.ui-secret code').innerText();
  await page.getByLabel(/Code from your/).fill(service.code(secret));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Keep your recovery codes').waitFor();
  const codes = await page.locator('.ui-codes code').allInnerTexts();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  return { secret, codes };
}

export async function firstStep(page: Page, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(OWNER.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail address').waitFor();
}

/** @param events all events if empty */
export async function addWebhook(page: Page, url: string, events: readonly string[] = []): Promise<string> {
  await go(page, 'webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(url);
  if (events.length > 0) {
    await dialog.getByText('All events, including future ones').click();
    await dialog.getByText('backup.failed').click();
    for (const event of events) await dialog.getByText(event).click();
  }
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('heading', { name: 'Signing secret' }).waitFor();
  const secret = await page.getByRole('dialog').locator('code').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  return secret;
}

export async function go(page: Page, section: (typeof SECTIONS)[number]): Promise<void> {
  await page.evaluate(`location.hash = '#/${section}'`);
  await page.locator(`a[href="#/${section}"][aria-current="page"]`).waitFor({ state: 'attached' });
  await page.locator('h1').waitFor();
  await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
}

/** Returns the findings of axe, as `rule: target`. */
export const faults: (page: Page, scope?: Scope) => Promise<readonly string[]> = faultsOf;

/** Returns the pixels by which the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>;
}

export async function focused(page: Page): Promise<string> {
  const name = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';
  return (await page.evaluate(name)) as string;
}

/** Presses Tab until the control with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const here = await focused(page);
    // A page or dialog may have no other text than that of a control in it.
    if (here === name && (await page.evaluate<boolean>('document.activeElement.tabIndex >= 0'))) return;
    seen.push(here);
  }
  throw new Error(`"${name}" cannot be reached by Tab; there were ${seen.join(' | ')}`);
}

/** Has the person who is signed in on the page invite another one, who joins in another browser. */
export async function invited(service: PortalService, page: Page, email: string): Promise<void> {
  const { name, value } = (await page.context().cookies(service.url))[0]!;
  const owner = new PortalBrowser(service);
  owner.cookie = `${name}=${value}`;
  await join(service, owner, email, 'member');
}
