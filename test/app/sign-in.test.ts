import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/protocol/endpoints.ts';
import { ANNA, HttpService } from '../system/agent/host/http-service.ts';
import { ELECTRON } from './electron-fixture.ts';
import type { ElectronFixture } from './electron-fixture.ts';
import { answerWords, expectRestored, freshWindow, holdfast, makePersonalFolder, shownPhrase } from './first-steps.ts';

/** Milliseconds for which the service waits for a code after the password. */
const CODE_LIFETIME_MS = 5 * 60_000;
/** Milliseconds for which a sign-in is valid. */
const TOKEN_LIFETIME_MS = 3_600_000;

// These tests continue each other in one window.
describe.skipIf(!ELECTRON)('sign-in in Electron', () => {
  let service: HttpService;
  let fixture: ElectronFixture | undefined;
  let page: Page;
  let folder: string;
  beforeAll(async () => {
    service = await HttpService.open();
    folder = makePersonalFolder(4);
    ({ fixture, page } = await freshWindow(folder));
  });
  afterAll(async () => {
    await fixture?.close();
    await service.close();
  });

  const signIn = async (password: string): Promise<void> => {
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const confirm = async (code: string): Promise<void> => {
    await page.getByLabel('6-digit code').fill(code);
    await page.getByRole('button', { name: 'Confirm' }).click();
  };

  test('asks again after a wrong password', async () => {
    await page.getByText('A Holdfast service').click();
    await page.getByLabel('Address of the service').fill(service.url);
    await page.getByRole('button', { name: 'Test this destination' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail address').fill(ANNA.email);
    await signIn('not her password');
    await page.getByText(/The service does not accept this e-mail address and password\./).waitFor();
  });

  test('asks again after a wrong code', async () => {
    await signIn(ANNA.password);
    await page.getByLabel('6-digit code').waitFor();
    const right = service.code();
    await confirm(right === '000000' ? '000001' : '000000');
    await page.getByText(/This code is wrong\./).waitFor();
  });

  test('asks for the password again when the sign-in expires', async () => {
    service.advance(CODE_LIFETIME_MS + 60_000);
    await confirm(service.code());
    await page.getByText('The sign-in has timed out. Enter your password again.').waitFor();
    await signIn(ANNA.password);
    await confirm(service.code());
    await page.getByText(`Signed in as ${ANNA.email}`).waitFor();
  });

  test('renews an expired sign-in without asking', async () => {
    await page.getByLabel('Name of this computer').fill('Anna’s laptop');
    const before = service.answers.length;
    service.advance(TOKEN_LIFETIME_MS + 60_000);
    await page.getByRole('button', { name: 'Use this destination' }).click();
    await page.getByRole('heading', { name: 'Write down your recovery phrase' }).waitFor();
    const answers = service.answers.slice(before);
    expect(answers.map(({ status }) => status)).toContain(401);
    expect(answers).toContainEqual({ path: ENDPOINTS.token, status: 200 });
  });

  test('registers this computer, which backs up to the service', async () => {
    const words = await shownPhrase(page);
    await page.getByRole('button', { name: 'I have written it down' }).click();
    await answerWords(page, words);
    await page.getByText(/5 files/).waitFor();
    await page.getByRole('button', { name: 'Start the first backup' }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();

    await page.getByRole('button', { name: 'Devices' }).click();
    await page.getByRole('main').getByText('Anna’s laptop').first().waitFor();
    expect(JSON.parse(await holdfast(folder, 'status', '--json'))).toMatchObject({
      destination: { kind: 'service', url: service.url, sign_in: 'device' },
      device: { name: 'Anna’s laptop' },
      sets: [{ name: 'My files', last_run: { state: 'succeeded' } }],
    });
    await expectRestored(folder);
  });
});
