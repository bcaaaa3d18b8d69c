import { createAdaptorServer } from '@hono/node-server';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { pino } from 'pino';
import { createAccount } from '../../../src/service/accounts.ts';
import type { IdentityProvider } from '../../../src/service/auth/account-settings.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import { createService } from '../../../src/service/service.ts';

export const ANNA = { email: 'anna@example.com', password: 'correct horse battery staple' } as const;

/** The real service on a socket of this machine, with Anna's account, whose clock a test can put forward. */
export class HttpService {
  readonly url: string;
  readonly #secret: string;
  readonly #end: () => Promise<void>;
  readonly #clock: { offset: number };

  private constructor(url: string, secret: string, clock: { offset: number }, end: () => Promise<void>) {
    this.url = url;
    this.#secret = secret;
    this.#end = end;
    this.#clock = clock;
  }

  /** @param providers may name the address that the service gets */
  static async open(
    providers: (url: string) => Promise<readonly IdentityProvider[]> = async () => [],
  ): Promise<HttpService> {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-service-'));
    const { totp_secret: secret } = await createAccount(directory, ANNA);
    const clock = { offset: 0 };
    const handler = Promise.withResolvers<(request: Request) => Promise<Response>>();
    const server = createAdaptorServer({ fetch: async (request) => (await handler.promise)(request) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const service = await createService({
      ...(await openStores(directory, { create: true })),
      clock: { now: () => Date.now() + clock.offset },
      log: pino({ level: 'silent' }),
      accounts: { providers: await providers(url) },
      publicUrl: url,
    });
    handler.resolve((request) => Promise.resolve(service.fetch(request)));
    return new HttpService(url, secret, clock, async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
      await service.close();
      await rm(directory, { recursive: true, force: true });
    });
  }

  close(): Promise<void> {
    return this.#end();
  }

  advance(milliseconds: number): void {
    this.#clock.offset += milliseconds;
  }

  /** What an authenticator app shows; in a step of time of its own, since each code is good once. */
  code(): string {
    this.advance(30_000);
    const timestamp = Date.now() + this.#clock.offset;
    return new TOTP({ secret: Secret.fromBase32(this.#secret) }).generate({ timestamp });
  }
}
