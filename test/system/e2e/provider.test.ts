import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Browser } from '../../helpers/identity-provider/browser.ts';
import { CLIENT, startIdentityProvider } from '../../helpers/identity-provider/identity-provider.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import type { Account } from './server.ts';
import { Workplace, type Ended } from './workplace.ts';

let workplace: Workplace;
let server: Server;
let issuer: string;
let anna: Account;
beforeEach(async () => {
  workplace = new Workplace();
  const data = workplace.path('service');
  anna = await createAccount(workplace, data, 'anna@example.com');
  issuer = await startIdentityProvider(() => `${server.address}/auth/v1/callback`);
  const providers = [{ name: 'company', issuer, ...CLIENT }];
  const config = workplace.write('config.json', JSON.stringify({ identityProviders: providers }));
  server = await Server.start(workplace, data, ['--config', config]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  workplace[Symbol.dispose]();
});

/** Sets up a home, with a sign-in in a browser at the printed address. */
async function setUp(name: string, ...words: readonly string[]): Promise<Ended> {
  const all = ['setup', '--server', server.address, '--provider', 'company', ...words];
  const { child, ended } = workplace.start(all);
  for await (const line of createInterface({ input: child.stderr! })) {
    const address = /^\s+(http\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    const known = new Set([new URL(issuer).origin, new URL(server.address).origin]);
    const browser = new Browser((url, init) => fetch(url, init));
    const end = await browser.signIn(address, name, (url) => !known.has(new URL(url).origin));
    expect(end.hostname).toBe('127.0.0.1');
    expect((await fetch(new URL('/elsewhere', end))).status).toBe(404);
    const page = await fetch(end);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
    await page.text();
    break;
  }
  return ended;
}

describe.skipIf(!CAN_SIGN_IN)('setup through an identity provider', () => {
  test('registers this computer after the second factor', async () => {
    const ended = await setUp('anna', '--code', codeOf(anna), '--device-name', 'laptop');
    expect(ended).toMatchObject({ status: 0 });
    const { devices } = await workplace.json<{ devices: readonly object[] }>(['devices']);
    expect(devices).toMatchObject([{ name: 'laptop', this_device: true }]);
  });

  test('requires the code', async () => {
    expect(await setUp('anna')).toMatchObject({ status: 4, stderr: expect.stringContaining('--code') as string });
  });

  test('reports a missing account', async () => {
    const ended = await setUp('eve', '--code', '123456');
    expect(ended).toMatchObject({ status: 4, stderr: expect.stringContaining('There is no account') as string });
    expect((await workplace.run('devices')).status).not.toBe(0);
  });
});
