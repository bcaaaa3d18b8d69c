import { expect, onTestFinished } from 'vitest';
import type { AccountSettings } from '../../../src/service/auth/account-settings.ts';
import { PortalService } from './portal-service.ts';

export const PASSWORD = 'correct horse battery';

/** Sends requests as a browser does for the page of the service. */
export class PortalBrowser {
  readonly #service: PortalService;
  cookie = '';

  constructor(service: PortalService) {
    this.#service = service;
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const request = new Request(this.#service.url + path, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }),
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...headers,
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    const response = await this.#service.service.fetch(request);
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';')[0]!;
    const text = await response.text();
    return { status: response.status, set, text, body: text === '' ? undefined : JSON.parse(text) };
  }
}

export async function open(
  publicUrl?: string,
  accounts?: Partial<AccountSettings>,
): Promise<{ service: PortalService; browser: PortalBrowser }> {
  const service = await PortalService.open('', publicUrl, accounts);
  onTestFinished(() => service.close());
  return { service, browser: new PortalBrowser(service) };
}

/** Signs the owner in. Returns the secret of the second factor. */
export async function setUp({ service, browser }: { service: PortalService; browser: PortalBrowser }): Promise<string> {
  const request = { setup_token: await service.setUpToken(), email: 'anna@example.org', password: PASSWORD };
  const { body: challenge } = await browser.ask('POST', '/portal/v1/set-up', request);
  return enrol(service, browser, challenge.enrolment_token);
}

export async function enrol(service: PortalService, browser: PortalBrowser, token: string): Promise<string> {
  const { body: factor } = await browser.ask('POST', '/portal/v1/enrol', { enrolment_token: token });
  const verify = { mfa_token: token, factor_id: factor.id, code: service.code(factor.totp.secret) };
  const verified = await browser.ask('POST', '/portal/v1/verify', verify);
  expect(verified.status).toBe(200);
  expect(verified.body.recovery_codes).toHaveLength(10);
  return factor.totp.secret as string;
}

/** Invites a person. Returns the browser in which they joined. */
export async function join(
  service: PortalService,
  by: PortalBrowser,
  email: string,
  role: string,
): Promise<PortalBrowser> {
  const { body: invited } = await by.ask('POST', '/portal/v1/api/auth/v1/invitations', { email, role });
  const browser = new PortalBrowser(service);
  const { body: challenge } = await browser.ask('POST', '/portal/v1/join', {
    token: invited.token,
    password: PASSWORD,
  });
  await enrol(service, browser, challenge.enrolment_token);
  return browser;
}
