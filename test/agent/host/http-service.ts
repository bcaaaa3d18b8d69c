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
  readonly #gate: Gate;

  private constructor(url: string, secret: string, clock: { offset: number }, gate: Gate, end: () => Promise<void>) {
    this.url = url;
    this.#secret = secret;
    this.#gate = gate;
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
    const gate = new Gate();
    handler.resolve(async (request) => {
      if (request.method === 'PUT') await gate.passed;
      return gate.isAway ? new Response(undefined, { status: 502 }) : service.fetch(request);
    });
    return new HttpService(url, secret, clock, gate, async () => {
      gate.open();
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

  /** The clock is the machine's again. */
  setBack(): void {
    this.#clock.offset = 0;
  }

  /** While it is held, nothing is stored: uploads wait to be let go on. */
  holdUploads(): void {
    this.#gate.hold();
  }

  letUploadsGoOn(): void {
    this.#gate.open();
  }

  /** Whoever asks is told by whatever stands before it that it is gone; what waited is too. */
  goAway(): void {
    this.#gate.isAway = true;
    this.#gate.open();
  }

  comeBack(): void {
    this.#gate.isAway = false;
  }

  /** What an authenticator app shows; in a step of time of its own, since each code is good once. */
  code(): string {
    this.advance(30_000);
    const timestamp = Date.now() + this.#clock.offset;
    return new TOTP({ secret: Secret.fromBase32(this.#secret) }).generate({ timestamp });
  }
}

/** What can be shut, and lets those who wait pass when it is opened. */
class Gate {
  isAway = false;
  passed: Promise<void> = Promise.resolve();
  open: () => void = () => undefined;

  hold(): void {
    this.open();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.passed = promise;
    this.open = resolve;
  }
}
