import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createAccount } from '../../../../src/service/accounts.ts';
import { startServer } from '../../../../src/service/server.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';
import { startMailServer } from '../../../helpers/service/mail-server.ts';
import { temporaryDirectory } from '../../../unit/service/harness.ts';

const KNOWN = 'anna@example.com';
const UNKNOWN = 'none@example.com';
const PASSWORD = 'correct horse battery staple';
/** Headers that differ between any two answers. */
const VARYING = new Set(['date', 'x-request-id']);

async function start({ signup }: { readonly signup: boolean }) {
  const mail = await startMailServer();
  const data = await temporaryDirectory();
  await createAccount(data, { email: KNOWN, password: PASSWORD }, { passwordCost: CHEAP });
  // Delays are then the same in all answers.
  const now = Date.now();
  const server = await startServer({
    data,
    clock: { now: () => now },
    publicUrl: 'https://backup.example.org',
    accounts: { passwordCost: CHEAP, signup },
    mail: { server: mail.url, from: 'Holdfast <backup@example.org>' },
  });
  onTestFinished(() => server.close());
  /** Status, headers and bytes. */
  return async (path: string, body: object) => {
    const answer = await request(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const headers = Object.entries(answer.headers).filter(([name]) => !VARYING.has(name));
    return { status: answer.statusCode, headers, bytes: await answer.body.text() };
  };
}

test.each([
  ['a forgotten password', '/auth/v1/recover', {}, 200],
  ['a wrong password', '/auth/v1/token?grant_type=password', { password: 'wrong horse battery staple' }, 401],
  ['a closed sign-up', '/auth/v1/signup', { password: PASSWORD }, 403],
  ['a sign-up with a short password', '/auth/v1/signup', { password: 'short' }, 400],
])('%s has the same answer for an address with an account, however often', async (_, path, body, status) => {
  const post = await start({ signup: false });
  // More than are free.
  for (let index = 0; index < 7; index += 1) {
    const known = await post(path, { ...body, email: KNOWN });
    if (index === 0) expect(known.status).toBe(status);
    expect(await post(path, { ...body, email: UNKNOWN })).toEqual(known);
  }
});

test('a sign-up tells that an address is taken, and a client address learns it about thirty times an hour', async () => {
  const post = await start({ signup: true });
  const signUp = async (email: string) => post('/auth/v1/signup', { email, password: PASSWORD });
  for (let index = 0; index < 30; index += 1) expect((await signUp(KNOWN)).status).toBe(409);
  const known = await signUp(KNOWN);
  expect(known.status).toBe(429);
  expect(await signUp(UNKNOWN)).toEqual(known);
});
