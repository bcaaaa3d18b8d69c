import { clausesOf, Departure } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { good, notAllowed, refused, withoutTokens } from '../exchange.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import type { Subject } from '../subject.ts';
import { totpCode, totpStep, wrongCode } from '../totp.ts';

const { required, advised } = clausesOf('sign-in');

/** The response to the second factor that all clauses share. */
const signedIn = (subject: Subject) => subject.once('sign-in', () => subject.signIn());

/** A separate sign-in for clauses that use up its tokens. */
const second = (subject: Subject) =>
  subject.once('second sign-in', async () => refreshTokenOf((await subject.signIn()).json));

function refreshTokenOf(json: unknown): string {
  return fieldsOf('the answer', json, { refresh_token: 'text' }).refresh_token;
}

export const SIGN_IN: readonly Clause[] = [
  required('the password grant returns mfa_required, mfa_token and factors', async (subject) => {
    const answer = good('the password grant', await subject.password());
    const fields = { mfa_required: 'boolean', mfa_token: 'text', factors: 'array' } as const;
    const { mfa_required: isRequired, factors } = fieldsOf('the password grant', answer.json, fields);
    expectThat(isRequired, 'mfa_required is false, but MFA is mandatory');
    expectThat(factors.length > 0, 'there is no factor');
    for (const factor of factors) fieldsOf('a factor', factor, { id: 'text', type: 'text', friendly_name: 'string' });
  }),
  required('a password alone yields neither an access token nor a refresh token', async (subject) => {
    withoutTokens('the password grant', await subject.password());
  }),
  required('a wrong password is rejected', async (subject) => {
    const answer = refused('a wrong password', await subject.password(subject.user.email, 'not the password'));
    expectThat(!answer.bytes.includes('mfa_token'), 'the refusal carries an mfa_token');
  }),
  required('an unknown e-mail address is rejected', async (subject) => {
    refused('an unknown e-mail', await subject.password('nobody-at-all@example.com', 'not the password'));
  }),
  advised('an unknown e-mail address is rejected like a wrong password', async (subject) => {
    const wrong = await subject.password(subject.user.email, 'not the password');
    const unknown = await subject.password('nobody-at-all@example.com', 'not the password');
    expectSame('the status', unknown.status, wrong.status);
    expectSame('the body', unknown.bytes.toString('utf8'), wrong.bytes.toString('utf8'));
  }),
  required('an unknown grant type is rejected', async (subject) => {
    const { email, password } = subject.user;
    refused('grant_type=magic', await subject.post('/auth/v1/token?grant_type=magic', { email, password }));
  }),
  required('factor verify requires the mfa_token', async (subject) => {
    const { factorId } = await subject.challenge();
    const code = wrongCode(subject.user.totpSecret, totpStep(subject.now()));
    notAllowed('factor verify without a token', await subject.verify(factorId, code));
    notAllowed('factor verify with an unknown token', await subject.verify(factorId, code, 'eyJub25l.eyJub25l.bm9uZQ'));
  }),
  required('a wrong code is rejected and yields no token', async (subject) => {
    const { mfaToken, factorId } = await subject.challenge();
    const code = wrongCode(subject.user.totpSecret, totpStep(subject.now()));
    const answer = await subject.verify(factorId, code, mfaToken);
    withoutTokens('a wrong code', refused('a wrong code', answer));
  }),
  required('the mfa_token is not accepted as an access token', async (subject) => {
    const { mfaToken } = await subject.challenge();
    notAllowed('the list of devices', await subject.get('/rest/v1/devices', mfaToken));
  }),
  required('factor verify returns access_token, refresh_token, token_type, expires_in and user', async (subject) => {
    const { json } = await signedIn(subject);
    const { user } = fieldsOf('factor verify', json, {
      access_token: 'text',
      refresh_token: 'text',
      token_type: 'text',
      expires_in: 'count',
      user: 'object',
    });
    const { email } = fieldsOf('the user', user, { id: 'text', email: 'text', role: 'text' });
    expectSame('the e-mail', email.toLowerCase(), subject.user.email.toLowerCase());
  }),
  required('token_type is bearer', async (subject) => {
    const { json } = await signedIn(subject);
    expectSame('token_type', fieldsOf('factor verify', json, { token_type: 'text' }).token_type, 'bearer');
  }),
  required('an access token lasts 3600 s', async (subject) => {
    const { json } = await signedIn(subject);
    expectSame('expires_in', fieldsOf('factor verify', json, { expires_in: 'count' }).expires_in, 3600);
  }),
  required('an access token is a JWT', async (subject) => {
    const { json } = await signedIn(subject);
    const parts = fieldsOf('factor verify', json, { access_token: 'text' }).access_token.split('.');
    expectThat(parts.length === 3, `it has ${parts.length} parts`);
    const [header, payload] = parts.slice(0, 2).map((part) => Buffer.from(part, 'base64url').toString('utf8'));
    const { alg } = fieldsOf('its header', parsed(header!), { alg: 'text' });
    expectThat(alg.toLowerCase() !== 'none', 'it is not signed');
    fieldsOf('its payload', parsed(payload!), {});
  }),
  required('an altered access token is rejected', async (subject) => {
    const token = await subject.userToken();
    const middle = Math.floor(token.length / 2);
    const altered = token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
    notAllowed('the list of devices', await subject.get('/rest/v1/devices', altered));
  }),
  advised('an mfa_token is valid for one sign-in', async (subject) => {
    const { mfaToken, factorId } = await subject.challenge();
    good('factor verify', await subject.verify(factorId, await subject.freshCode(), mfaToken));
    refused('its second use', await subject.verify(factorId, await subject.freshCode(), mfaToken));
  }),
  advised('a code is valid once', async (subject) => {
    const code = await subject.freshCode();
    const [one, other] = [await subject.challenge(), await subject.challenge()];
    good('factor verify', await subject.verify(one.factorId, code, one.mfaToken));
    refused('the same code again', await subject.verify(other.factorId, code, other.mfaToken));
  }),
  advised('a code that is ten steps old is rejected', async (subject) => {
    const { mfaToken, factorId } = await subject.challenge();
    const code = totpCode(subject.user.totpSecret, totpStep(subject.now()) - 10);
    refused('an old code', await subject.verify(factorId, code, mfaToken));
  }),
  required('the refresh grant returns a new access_token, a new refresh_token and expires_in', async (subject) => {
    let token = await second(subject);
    const seen = new Set([token]);
    for (let renewals = 0; renewals < 3; renewals += 1) {
      const answer = good('the refresh grant', await subject.refresh(token));
      const fields = { access_token: 'text', refresh_token: 'text', expires_in: 'count' } as const;
      const renewed = fieldsOf('the refresh grant', answer.json, fields);
      expectSame('expires_in', renewed.expires_in, 3600);
      expectThat(!seen.has(renewed.refresh_token), 'the refresh token is not new');
      good('the list of devices', await subject.get('/rest/v1/devices', renewed.access_token));
      token = renewed.refresh_token;
      seen.add(token);
    }
  }),
  required('an unknown refresh token is rejected', async (subject) => {
    refused('the refresh grant', await subject.refresh('no-such-token'));
  }),
  required(
    'an access token is not accepted as a refresh token, nor a refresh token as an access token',
    async (subject) => {
      refused('the refresh grant', await subject.refresh(await subject.userToken()));
      const refresh = refreshTokenOf((await subject.once('third sign-in', () => subject.signIn())).json);
      notAllowed('the list of devices', await subject.get('/rest/v1/devices', refresh));
    },
  ),
  advised('a reused refresh token is rejected and ends the sign-in', async (subject) => {
    const stolen = refreshTokenOf((await subject.once('third sign-in', () => subject.signIn())).json);
    const renewed = good('the refresh grant', await subject.refresh(stolen));
    await subject.pass(15);
    refused('the spent token', await subject.refresh(stolen));
    refused('its successor', await subject.refresh(refreshTokenOf(renewed.json)));
  }),
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Departure('a part of the token is no JSON');
  }
}
