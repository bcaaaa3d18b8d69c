import { expect, onTestFinished } from 'vitest';
import type { AccountSettings } from '../../src/service/auth/account-settings.ts';
import { PortalService } from './portal-service.ts';

export const PASSWORD = 'correct horse battery';

/** Sends requests as a browser does for the page of the service. */
export class PortalBrowser {
  readonly #world: PortalService;
  cookie = '';

  constructor(world: PortalService) {
    this.#world = world;
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const request = new Request(this.#world.url + path, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }),
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...headers,
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    const response = await this.#world.service.fetch(request);
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';')[0]!;
    const text = await response.text();
    return { status: response.status, set, text, body: text === '' ? undefined : JSON.parse(text) };
  }
}

export async function open(
  publicUrl?: string,
  accounts?: Partial<AccountSettings>,
): Promise<{ world: PortalService; browser: PortalBrowser }> {
  const world = await PortalService.open('', publicUrl, accounts);
  onTestFinished(() => world.close());
  return { world, browser: new PortalBrowser(world) };
}

/** Signs the owner in. Returns the secret of the second factor. */
export async function setUp({ world, browser }: { world: PortalService; browser: PortalBrowser }): Promise<string> {
  const request = { setup_token: await world.setUpToken(), email: 'anna@example.org', password: PASSWORD };
  const { body: challenge } = await browser.ask('POST', '/portal/v1/set-up', request);
  return enrol(world, browser, challenge.enrolment_token);
}

export async function enrol(world: PortalService, browser: PortalBrowser, token: string): Promise<string> {
  const { body: factor } = await browser.ask('POST', '/portal/v1/enrol', { enrolment_token: token });
  const verify = { mfa_token: token, factor_id: factor.id, code: world.code(factor.totp.secret) };
  const verified = await browser.ask('POST', '/portal/v1/verify', verify);
  expect(verified.status).toBe(200);
  expect(verified.body.recovery_codes).toHaveLength(10);
  return factor.totp.secret as string;
}

/** Invites a person. Returns the browser in which they joined. */
export async function join(
  world: PortalService,
  by: PortalBrowser,
  email: string,
  role: string,
): Promise<PortalBrowser> {
  const { body: invited } = await by.ask('POST', '/portal/v1/api/auth/v1/invitations', { email, role });
  const browser = new PortalBrowser(world);
  const { body: challenge } = await browser.ask('POST', '/portal/v1/join', {
    token: invited.token,
    password: PASSWORD,
  });
  await enrol(world, browser, challenge.enrolment_token);
  return browser;
}
