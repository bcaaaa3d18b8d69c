import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';

export const CLIENT = { clientId: 'holdfast', clientSecret: 'client secret of the test' } as const;

/** The provider's claims about the user of a name; by default `NAME@example.com`, verified. */
export type KnownClaims = Readonly<
  Record<string, { readonly email?: string; readonly email_verified?: boolean; readonly groups?: unknown }>
>;

/** A real OpenID Connect provider on this machine until the end of the test; it accepts any password. */
export async function startIdentityProvider(redirect: () => string, known: KnownClaims = {}): Promise<string> {
  // It warns about settings that suit only tests.
  const spies = (['warn', 'info'] as const).map((level) => vi.spyOn(console, level).mockReturnValue());
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    for (const spy of spies) spy.mockRestore();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let callback: ReturnType<Provider['callback']> | undefined;
  server.on('request', (request, response) => {
    callback ??= createProvider(issuer, redirect(), known).callback();
    void callback(request, response);
  });
  return issuer;
}

function createProvider(issuer: string, redirect: string, known: KnownClaims): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [redirect],
      },
    ],
    claims: { openid: ['sub'], groups: ['groups'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.com`, email_verified: true, ...known[id] }),
    }),
  });
}
