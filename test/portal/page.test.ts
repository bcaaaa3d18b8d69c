import { AxeBuilder } from '@axe-core/playwright';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPortalPage } from '../../scripts/build/portal-page.ts';
import { PortalWorld } from './portal-world.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const SECTIONS = ['overview', 'devices', 'backups', 'webhooks', 'team', 'security', 'audit'] as const;
const OWNER = { email: 'anna@example.org', password: 'correct horse battery' };

let folder: string;
let browser: Browser;

describe.skipIf(CHROMIUM === undefined)('the portal in a browser', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
    await buildPortalPage(join(folder, 'page'));
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('leads a new owner in, and later back in with a code or a recovery code', async () => {
    const { world, page } = await open();
    const { secret, codes } = await setUp(world, page);
    expect(codes).toHaveLength(10);
    await signOut(page);

    await firstStep(page, 'wrong');
    await page.getByText('E-mail address or password is not right.').waitFor();
    await firstStep(page, OWNER.password);
    await page.getByLabel(/Code from your/).fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/code is not right/).waitFor();
    await page.getByLabel(/Code from your/).fill(world.code(secret));
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

  test.each(['light', 'dark'] as const)('is accessible and never wider than its window, %s', async (colorScheme) => {
    const { world, page } = await open();
    await setUp(world, page);
    await world.fill();
    await addWebhook(page, 'https://hooks.example.org/a-rather-long/path/that/goes/on/and/on');
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const section of SECTIONS) {
        await go(page, section);
        expect([section, width, await faults(page), await overflow(page)]).toEqual([section, width, [], 0]);
      }
    }
  });

  test('renames and revokes a device, by keyboard alone', async () => {
    const { world, page } = await open();
    await setUp(world, page);
    await world.addDevice('Laptop', 'Debian 12');
    await go(page, 'devices');
    await page.locator('h1').waitFor();
    await tabTo(page, 'Rename Laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Anna’s laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Anna’s laptop', exact: true }).waitFor();
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
    await page.getByText('Revoked').waitFor();
    const [device] = await world.service.context.people.deviceActivity.list(await world.accountId());
    expect(device!.revokedAt).toBeDefined();
  });

  test('shows restore points, and that and why it shows no files', async () => {
    const { world, page } = await open();
    await setUp(world, page);
    await world.fill();
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

  test('reads its charts out by arrow keys', async () => {
    const { world, page } = await open();
    await setUp(world, page);
    await world.fill();
    await page.reload();
    const chart = page.getByRole('slider', { name: /^Storage used each day/ });
    await chart.focus();
    const newest = await chart.getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).not.toBe(newest);
    await page.keyboard.press('End');
    expect(await chart.getAttribute('aria-valuetext')).toBe(newest);
  });

  test('makes a webhook, shows its secret once, and sends a delivery again', async () => {
    const { world, page } = await open();
    await setUp(world, page);
    await go(page, 'webhooks');
    const secret = await addWebhook(page, 'https://hooks.example.org/a', ['device.registered']);
    await world.addDevice('Laptop', 'Debian 12');
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Deliveries to https://hooks.example.org/a' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('summary').filter({ hasText: 'device.registered' }).click();
    await dialog.getByText('"device_name": "Laptop"').waitFor();
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('It is on its way again.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove https://hooks.example.org/a' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  test('invites somebody, who joins with a password and a factor of their own', async () => {
    const { world, page } = await open();
    await setUp(world, page);
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
    await enrol(world, other);
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    const sections = other.getByRole('navigation').getByRole('link');
    expect(await sections.allInnerTexts()).toEqual(['Overview', 'Devices', 'Backups', 'Security']);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('cell', { name: 'ben@example.org', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove ben@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('cell', { name: 'ben@example.org', exact: true }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('changes password, factors and recovery codes, and ends other sign-ins', async () => {
    const { world, page } = await open();
    const { secret } = await setUp(world, page);
    const other = await newPage();
    await other.goto(world.url);
    await firstStep(other, OWNER.password);
    await other.getByLabel(/Code from your/).fill(world.code(secret));
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();

    await go(page, 'security');
    await page.getByLabel('Current password').fill(OWNER.password);
    await page.getByLabel('New password').fill('a new battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await other.reload();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();

    await page.getByRole('button', { name: 'Add authenticator' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('New phone');
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    const added = await page.getByRole('dialog').locator('.ui-secret code').innerText();
    expect(await faults(page)).toEqual([]);
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(world.code(added));
    await page.getByRole('dialog').getByRole('button', { name: 'Add authenticator' }).click();
    await page.getByText('New phone', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Make new ones' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(world.code(added));
    await page.getByRole('dialog').getByRole('button', { name: 'Make new ones' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('button', { name: 'Remove New phone' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/Code from your/)
      .fill(world.code(secret));
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('New phone', { exact: true }).waitFor({ state: 'detached' });
    await go(page, 'audit');
    await page.getByText('password.changed').waitFor();
  });

  test('speaks German where the reader does, and remembers a choice', async () => {
    const world = await openWorld();
    const page = await newPage('de-AT');
    await page.goto(world.url);
    await page.getByRole('heading', { name: 'Diesen Dienst einrichten' }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    expect(await faults(page)).toEqual([]);
    await page.getByLabel('Sprache').selectOption('en');
    await page.reload();
    await page.getByRole('heading', { name: 'Set up this service' }).waitFor();
  });
});

async function openWorld(): Promise<PortalWorld> {
  const world = await PortalWorld.open(join(folder, 'page'));
  onTestFinished(() => world.close());
  return world;
}

/** A page in a browser of its own, that fails the test on any error and any breach of the page's policy. */
async function newPage(locale = 'en-GB'): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ locale, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isAnswer = /the server responded with a status of 4/.test(message.text());
    if (message.type() === 'error' && !isAnswer) problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return page;
}

async function open(): Promise<{ world: PortalWorld; page: Page }> {
  const world = await openWorld();
  return { world, page: await newPage() };
}

async function setUp(world: PortalWorld, page: Page): Promise<{ secret: string; codes: string[] }> {
  await page.goto(`${world.url}/#/set-up?token=${(await world.setUpToken())!}`);
  await page.getByLabel('E-mail address').fill(OWNER.email);
  await page.getByLabel('New password').fill(OWNER.password);
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  const entered = await enrol(world, page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(page.url()).not.toContain('token');
  return entered;
}

async function enrol(world: PortalWorld, page: Page): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  expect(await faults(page)).toEqual([]);
  const secret = await page.locator('.ui-secret code').innerText();
  await page.getByLabel(/Code from your/).fill(world.code(secret));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Keep your recovery codes').waitFor();
  const codes = await page.locator('.ui-codes code').allInnerTexts();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  return { secret, codes };
}

async function firstStep(page: Page, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(OWNER.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail address').waitFor();
}

/** @param events all where none are named */
async function addWebhook(page: Page, url: string, events: readonly string[] = []): Promise<string> {
  await go(page, 'webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(url);
  if (events.length > 0) {
    await dialog.getByText('All events, later ones too').click();
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

async function go(page: Page, section: (typeof SECTIONS)[number]): Promise<void> {
  await page.evaluate(`location.hash = '#/${section}'`);
  await page.locator(`a[href="#/${section}"][aria-current="page"]`).waitFor({ state: 'attached' });
  await page.locator('h1').waitFor();
  await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
}

/** What axe finds, as rule and place. */
async function faults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Pixels by which the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>;
}

async function focused(page: Page): Promise<string> {
  const name = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';
  return (await page.evaluate(name)) as string;
}

/** Presses Tab until the control of that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const here = await focused(page);
    if (here === name) return;
    seen.push(here);
  }
  throw new Error(`"${name}" cannot be reached by Tab; there were ${seen.join(' | ')}`);
}
