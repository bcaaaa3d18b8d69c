import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANNA, HttpService } from '../agent/host/http-service.ts';
import { ELECTRON } from './electron-world.ts';
import type { ElectronWorld } from './electron-world.ts';
import { answerWords, freshWindow, holdfast, makePersonalFolder, shownPhrase } from './first-steps.ts';

/** For so long the service waits for a code after the password. */
const CODE_LIFETIME_MS = 5 * 60_000;
/** And for so long it lets somebody in who has signed in. */
const TOKEN_LIFETIME_MS = 3_600_000;

describe.skipIf(!ELECTRON)('a service with a second factor', () => {
  let service: HttpService;
  let world: ElectronWorld | undefined;
  beforeAll(async () => {
    service = await HttpService.open();
  });
  afterAll(async () => {
    await world?.close();
    await service.close();
  });

  it('is signed in to, joined and backed up to', async () => {
    const folder = makePersonalFolder(4);
    const first = await freshWindow(folder);
    const { page } = first;
    world = first.world;
    await page.getByText('A Holdfast service').click();
    await page.getByLabel('Address of the service').fill(service.url);
    await page.getByRole('button', { name: 'Test this destination' }).click();

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill(ANNA.email);
    const signIn = async (password: string): Promise<void> => {
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await signIn('not her password');
    await page.getByText('The service does not accept this e-mail address and password.').waitFor();
    await signIn(ANNA.password);

    const code = page.getByLabel('6-digit code');
    const confirm = page.getByRole('button', { name: 'Confirm' });
    const right = service.code();
    await code.fill(right === '000000' ? '000001' : '000000');
    await confirm.click();
    await page.getByText('This code is not right.', { exact: false }).waitFor();

    service.advance(CODE_LIFETIME_MS + 60_000);
    await code.fill(service.code());
    await confirm.click();
    await page.getByText('The time to sign in is over. Enter your password again.').waitFor();
    await signIn(ANNA.password);
    await code.fill(service.code());
    await confirm.click();

    await page.getByText(`Signed in as ${ANNA.email}`).waitFor();
    await page.getByLabel('Name of this computer').fill('Anna’s laptop');
    // Whoever takes longer than the sign-in lasts is not asked again: it is renewed.
    service.advance(TOKEN_LIFETIME_MS + 60_000);
    await page.getByRole('button', { name: 'Use this destination' }).click();
    const words = await shownPhrase(page);
    // A device says when it asks, by the clock of its computer.
    service.setBack();
    await page.getByRole('button', { name: 'I have written it down' }).click();
    await answerWords(page, words);
    await page.getByText('5 files').waitFor();
    await page.getByRole('button', { name: 'Start the first backup' }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();

    await page.getByRole('button', { name: 'Devices' }).click();
    await page.getByRole('main').getByText('Anna’s laptop').first().waitFor();
    expect(JSON.parse(await holdfast(folder, 'status', '--json'))).toMatchObject({
      destination: { kind: 'service', url: service.url, sign_in: 'device' },
      device: { name: 'Anna’s laptop' },
      sets: [{ name: 'My files', last_run: { state: 'succeeded' } }],
    });
  });
});
