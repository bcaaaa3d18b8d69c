import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Answer, Call } from './call.ts';
import { expectFields } from './expectations.ts';
import { freshId, timeOf } from './service-state.ts';
import type { ServiceState } from './service-state.ts';

export function password(state: ServiceState, call: Call): Answer {
  const fields = { email: 'text', password: 'text' } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { email, password: given } = call.body;
  if (email !== state.user.email || given !== state.user.password) return { status: 401, body: { error: 'no' } };
  const token = freshId('mfa');
  state.mfaTokens.add(token);
  const factors = [
    { id: 'factor/phone', type: 'phone', friendly_name: 'Phone' },
    { id: 'factor/totp', type: 'totp', friendly_name: 'Authenticator' },
  ];
  return { status: 200, body: { mfa_required: true, mfa_token: token, factors } };
}

export function verify(state: ServiceState, call: Call): Answer {
  if (!state.mfaTokens.has(call.bearer ?? '')) {
    state.departures.push(`${call.endpoint}: the bearer token is no MFA token`);
    return { status: 401 };
  }
  if (call.parameter !== 'factor/totp') {
    state.departures.push(`${call.endpoint}: factor ${call.parameter} is not the TOTP factor`);
    return { status: 404 };
  }
  if (!expectFields(state.departures, call.endpoint, call.body, { code: 'text' })) return { status: 400 };
  const { code } = call.body;
  const steps = [-1, 0, 1].map((step) => totp(state.user.totpSecret, timeOf(state) + step * 30_000));
  if (!steps.includes(code)) return { status: 401, body: { error: 'code' } };
  state.mfaTokens.delete(call.bearer!);
  const { id, email } = state.user;
  return { status: 200, body: { ...grant(state, id), token_type: 'bearer', user: { id, email, role: 'owner' } } };
}

export function refresh(state: ServiceState, call: Call): Answer {
  if (!expectFields(state.departures, call.endpoint, call.body, { refresh_token: 'text' })) return { status: 400 };
  const { refresh_token: token } = call.body;
  const use = state.refreshTokens.get(token);
  if (use === 'spent') state.departures.push(`${call.endpoint}: a refresh token was used twice`);
  if (use !== 'good') return { status: 401 };
  state.refreshTokens.set(token, 'spent');
  return { status: 200, body: grant(state, state.user.id) };
}

function grant(state: ServiceState, subject: string) {
  const refreshToken = freshId('refresh');
  state.refreshTokens.set(refreshToken, 'good');
  return { access_token: accessToken(state, subject), refresh_token: refreshToken, expires_in: state.tokenSeconds };
}

function accessToken(state: ServiceState, subject: string): string {
  const token = jsonWebToken(subject);
  state.accessTokens.set(token, { subject, expiresAt: timeOf(state) + state.tokenSeconds * 1000 });
  return token;
}

/** Only has the form of a token; it is valid because it was issued. */
function jsonWebToken(subject: string): string {
  const parts = [{ alg: 'HS256' }, { sub: subject, jti: freshId('access') }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, randomBytes(32).toString('base64url')].join('.');
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 under the device key of "<t>.<device id>">`; ±300 s, each once. */
export function deviceAuth(state: ServiceState, call: Call): Answer {
  if (call.bearer !== undefined) state.departures.push(`${call.endpoint}: a bearer header where none belongs`);
  const fields = { device_key: 'text', device_id: 'text', signature: 'text' } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { device_key: key, device_id: id, signature } = call.body;
  const parts = /^t=([0-9]+),v1=([0-9a-f]{64})$/.exec(signature);
  if (!parts) {
    state.departures.push(`${call.endpoint}: the signature has another form: ${signature}`);
    return { status: 400 };
  }
  const device = state.devices.get(id);
  const expected = createHmac('sha256', device?.key ?? '')
    .update(`${parts[1]}.${id}`)
    .digest();
  const right = device?.key === key && timingSafeEqual(expected, Buffer.from(parts[2]!, 'hex'));
  const inTime = Math.abs(Number(parts[1]) - timeOf(state) / 1000) <= 300;
  if (!device || !right || !inTime || state.signaturesSeen.has(signature)) return { status: 401 };
  state.signaturesSeen.add(signature);
  return {
    status: 200,
    body: {
      access_token: accessToken(state, id),
      expires_in: state.tokenSeconds,
      device: { id, name: device.name, permissions: ['backup', 'restore', 'status'] },
    },
  };
}

export function devices(state: ServiceState): Answer {
  const list = [...state.devices].map(([id, { name, lastBackup }]) => ({
    id,
    name,
    os: 'linux',
    agent_version: '0',
    // JSON omits it if it is undefined.
    last_backup: lastBackup,
    status: 'healthy',
  }));
  return { status: 200, body: { devices: list } };
}

/** RFC 6238 with its defaults: SHA-1, 30 seconds, six digits. */
export function totp(base32Secret: string, time: number): string {
  let bits = '';
  for (const letter of base32Secret)
    bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE(digest.at(-1)! & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
