import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../src/base/errors/failure.ts';
import { readErrorResponse } from '../../../../src/remote/client/error-response.ts';
import { discardResponse } from '../../../../src/remote/client/responses.ts';
import { connect, connectAsDevice, connectAsUser } from '../../../../src/remote/connection.ts';
import { redeemProviderCode } from '../../../../src/remote/sign-in/provider-sign-in.ts';
import { beginSignIn, verifyFactor } from '../../../../src/remote/sign-in/sign-in.ts';
import { HandlerHttp } from '../../../helpers/service/handler-http.ts';
import { MemorySessionStore } from '../connections.ts';
import { InstantClock } from '../instant-clock.ts';

/** Ways in which a service may state what it was sent. */
const ECHOES = {
  'as it is': (secret: string) => secret,
  'in a sentence': (secret: string) => `“${secret}” is wrong`,
  spaced: (secret: string) => Array.from(secret).join(' '),
  reversed: (secret: string) => Array.from(secret).toReversed().join(''),
  'in base64': (secret: string) => Buffer.from(secret).toString('base64'),
  'in capitals': (secret: string) => secret.toUpperCase(),
} as const;

/** A service that answers everything with a problem that echoes a secret. */
function connectionTo(echo: string, status: number) {
  const http = new HandlerHttp(async () =>
    Response.json(
      { code: echo, title: echo, detail: echo },
      { status, headers: { 'content-type': 'application/problem+json' } },
    ),
  );
  const policy = { attempts: 1, firstPauseMs: 1, longestPauseMs: 1, maxWaitMs: 1 };
  return connect({ baseUrl: 'http://service.test', http, clock: new InstantClock(), policy });
}

const PASSWORD = 'hunter-of-canaries';
const CODE = '493817';
const TOKEN = 'eyJhbGciOi.canary-token.c2lnbmF0dXJl';
const DEVICE_KEY = 'dk_canaries4711sing';

type Attempt = (connection: ReturnType<typeof connectionTo>) => Promise<unknown>;
const LIST = { method: 'GET', path: '/rest/v1/devices', read: discardResponse } as const;

const ATTEMPTS: Readonly<Record<string, readonly [secret: string, attempt: Attempt]>> = {
  'a password': [PASSWORD, ({ calls }) => beginSignIn(calls, { email: 'anna@example.org', password: PASSWORD })],
  'a one-time code': [CODE, ({ calls }) => verifyFactor(calls, { token: 't', factorId: 'f', code: CODE })],
  'the code of a browser': [CODE, ({ calls }) => redeemProviderCode(calls, { code: CODE, verifier: 'v' })],
  'a refresh token': [
    TOKEN,
    async (connection) => {
      const sessions = new MemorySessionStore({ refreshToken: TOKEN, accessToken: 'old', expiresAt: 0 });
      return (await connectAsUser(connection, sessions)).calls.call(LIST);
    },
  ],
  'a device key': [
    DEVICE_KEY,
    (connection) => connectAsDevice(connection, { deviceId: 'd', deviceKey: DEVICE_KEY }).calls.call(LIST),
  ],
};

describe.each(Object.entries(ATTEMPTS))('%s', (_what, [secret, attempt]) => {
  test.each(Object.entries(ECHOES))('that a service echoes %s is in no error', async (_how, echo) => {
    for (const status of [400, 401, 403, 418, 422, 429, 500, 503, 507]) {
      const said = echo(secret);
      const error = await attempt(connectionTo(said, status)).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeDefined();
      const stated = `${inspect(error, { depth: 9 })} ${JSON.stringify(failureOf(error))} ${String((error as Error).stack)}`;
      expect(stated).not.toContain(said);
      expect(stated).not.toContain(secret);
    }
  });
});

test.each(['as it is', 'in a sentence'] as const)(
  'an access token that a service echoes %s is in no error',
  async (how) => {
    for (const status of [400, 403, 404, 409, 422, 429, 500, 503, 507]) {
      const { calls } = connectionTo(ECHOES[how](TOKEN), status);
      const error = await calls.call(LIST, TOKEN).catch((reason: unknown) => reason);
      expect(inspect(error, { depth: 9 })).not.toContain(TOKEN);
      expect(JSON.stringify(failureOf(error))).not.toContain(TOKEN);
    }
  },
);

test('what a service says of a call without a secret is passed on', async () => {
  const { calls } = connectionTo('the disk is away', 400);
  const error = await calls.call(LIST, TOKEN).catch((reason: unknown) => reason);
  expect(failureOf(error)).toMatchObject({ details: { detail: 'the disk is away' } });
});

test('only words are the code of an error', async () => {
  const of = async (code: string) =>
    (
      await readErrorResponse(
        await new HandlerHttp(async () => Response.json({ code }, { status: 400 })).request({
          method: 'GET',
          url: 'http://a.test/',
          headers: {},
        }),
        'http://a.test/',
        0,
      )
    ).code;
  expect(await of('chunks_missing')).toBe('chunks_missing');
  for (const code of ['493817', 'a b', 'c2VjcmV0Cg==', 'https://a.test']) expect(await of(code)).toBeUndefined();
});
