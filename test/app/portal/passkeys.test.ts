import type { CDPSession, Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faults, firstStep, go, HAS_BROWSER, OWNER, overflow, setUp, signOut, usePortalPages } from './pages.ts';

/** Gives the page's browser a platform authenticator that recognizes its owner. */
async function addAuthenticator(page: Page): Promise<{ readonly cdp: CDPSession; readonly id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  onTestFinished(async () => {
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: id });
    await cdp.detach();
  });
  return { cdp, id };
}

describe.skipIf(!HAS_BROWSER)('passkeys on the page', () => {
  const { openService, newPage } = usePortalPages();

  test('are added with a code, sign in, confirm, and are removed', async () => {
    const service = await openService({}, undefined, 'localhost');
    const page = await newPage();
    const { cdp, id } = await addAuthenticator(page);
    const { secret } = await setUp(service, page);
    await go(page, 'security');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Anna’s laptop');
    await dialog.getByLabel('Code from your authenticator app').fill(service.code(secret));
    expect(await faults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Remove Anna’s laptop' }).waitFor();
    expect((await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials).toMatchObject([
      { rpId: 'localhost' },
    ]);
    expect(await faults(page)).toEqual([]);

    await signOut(page);
    await firstStep(page, OWNER.password);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    expect(await faults(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Security' }).waitFor();

    service.advance(11 * 60_000);
    await go(page, 'team');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByLabel('E-mail address').fill('mia@example.org');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Send this link to mia@example.org. It works once, for anyone who has it.').first().waitFor();

    await page.reload();
    await go(page, 'security');
    await page.getByText(/^last used/).waitFor();
    await page.getByRole('button', { name: 'Remove Anna’s laptop' }).click();
    await page.getByRole('dialog').getByLabel('Code from your authenticator app').fill(service.code(secret));
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove Anna’s laptop' }).waitFor({ state: 'detached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('leave the code as it was when the person cancels', async () => {
    const service = await openService({}, undefined, 'localhost');
    const page = await newPage();
    const { cdp, id } = await addAuthenticator(page);
    const { secret } = await setUp(service, page);
    await go(page, 'security');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Key');
    await dialog.getByLabel('Code from your authenticator app').fill(service.code(secret));
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Remove Key' }).waitFor();
    await signOut(page);
    await firstStep(page, OWNER.password);
    // As if the person were not recognized.
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was used. Try again, or use a code.').waitFor();
    await page.getByLabel(/Code from your/).fill(service.code(secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Security' }).waitFor();
  });

  test('are not shown where browsers make none', async () => {
    const service = await openService();
    const page = await newPage();
    await setUp(service, page);
    await go(page, 'security');
    await page.getByText('Recovery codes').first().waitFor();
    expect(await page.getByText(/Passkeys/).count()).toBe(0);
  });
});
