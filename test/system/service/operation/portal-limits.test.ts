import { TOTP } from 'otpauth';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../../src/service/server.ts';
import { DEFAULT_LIMITS } from '../../../../src/service/operation/rate-limit.ts';
import { temporaryDirectory } from '../../../unit/service/harness.ts';

const PER_ACCOUNT = 4;

test('counts a gateway request of the portal once', async () => {
  const now = Date.now();
  const limits = { ...DEFAULT_LIMITS, perAccount: PER_ACCOUNT };
  const server = await startServer({ data: await temporaryDirectory(), limits, clock: { now: () => now } });
  onTestFinished(() => server.close());
  let cookie = '';
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { cookie, ...(body ? { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as JSON without a schema
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const token = new URL(server.setUpUrl!).hash.split('token=')[1]!;
  const owner = { setup_token: token, email: 'anna@example.org', password: 'correct horse battery' };
  const { body: challenge } = await ask('/portal/v1/set-up', owner);
  const { body: factor } = await ask('/portal/v1/enrol', { enrolment_token: challenge.enrolment_token });
  const code = new TOTP({ secret: factor.totp.secret }).generate({ timestamp: now });
  const verify = { mfa_token: challenge.enrolment_token, factor_id: factor.id, code };
  expect((await ask('/portal/v1/verify', verify)).status).toBe(200);
  const statuses: number[] = [];
  for (let request = 0; request <= PER_ACCOUNT; request += 1) {
    statuses.push((await ask('/portal/v1/api/rest/v1/devices')).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
});
