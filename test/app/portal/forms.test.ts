import { describe, expect, test } from 'vitest';
import { firstStep, go, HAS_BROWSER, openAsOwner, OWNER, signOut, usePortalPages } from './pages.ts';

describe.skipIf(!HAS_BROWSER)('forms', () => {
  const { open } = usePortalPages();

  test('keep their button where it is while it is pressed, whatever was wrong before', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await signOut(page);
    const button = page.getByRole('button', { name: 'Sign in' });
    await button.click();
    const errors = page.locator('.ui-field-error');
    await expect.poll(() => errors.count()).toBe(2);
    await page.getByLabel('Password').pressSequentially('wrong');
    await page.getByLabel('E-mail address').pressSequentially(OWNER.email);
    expect(await errors.count()).toBe(0);
    const before = (await button.boundingBox())!;
    await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
    await page.mouse.down();
    expect(await button.boundingBox()).toEqual(before);
    await page.mouse.up();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await firstStep(page, OWNER.password);
    await page.getByLabel(/^Code from your/).waitFor();
  });

  test('say what is wrong in the language of the page, not of the browser', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await go(page, 'webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.locator('button[type=submit]');
    await submit.click();
    await dialog.getByText('Fill this in.').waitFor();
    await dialog.getByLabel('Address').fill('hooks.example.org');
    await submit.click();
    await dialog.getByText('Enter an address that begins with https://, such as https://example.org.').waitFor();
  });

  test('do not move a button by an error that the press itself would show', async () => {
    const { service, page } = await open();
    await openAsOwner(service, page);
    await page.getByRole('button', { name: 'Change plan' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('x');
    await page.keyboard.press('Tab');
    await dialog.getByLabel('Name').focus();
    await page.keyboard.press('Backspace');
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    const before = (await cancel.boundingBox())!;
    await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
    await page.mouse.down();
    expect(await cancel.boundingBox()).toEqual(before);
    await page.mouse.up();
    await dialog.waitFor({ state: 'detached' });
  });
});
