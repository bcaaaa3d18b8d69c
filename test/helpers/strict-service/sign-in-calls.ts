import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Answer, Call } from './call.ts';
import { expectFields } from './expectations.ts';
import { freshId, timeOf } from './world.ts';
import type { World } from './world.ts';

export function password(world: World, call: Call): Answer {
  const fields = { email: 'text', password: 'text' } as const;
  if (!expectFields(world.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { email, password: given } = call.body;
  if (email !== world.user.email || given !== world.user.password) return { status: 401, body: { error: 'no' } };
  const token = freshId('mfa');
  world.mfaTokens.add(token);
  const factors = [
    { id: 'factor/phone', type: 'phone', friendly_name: 'Phone' },
    { id: 'factor/totp', type: 'totp', friendly_name: 'Authenticator' },
  ];
  return { status: 200, body: { mfa_required: true, mfa_token: token, factors } };
}

export function verify(world: World, call: Call): Answer {
  if (!world.mfaTokens.has(call.bearer ?? '')) {
    world.departures.push(`${call.endpoint}: the bearer token is no MFA token`);
    return { status: 401 };
  }
  if (call.parameter !== 'factor/totp') {
    world.departures.push(`${call.endpoint}: factor ${call.parameter} is not the TOTP factor`);
    return { status: 404 };
  }
  if (!expectFields(world.departures, call.endpoint, call.body, { code: 'text' })) return { status: 400 };
  const { code } = call.body;
  const steps = [-1, 0, 1].map((step) => totp(world.user.totpSecret, timeOf(world) + step * 30_000));
  if (!steps.includes(code)) return { status: 401, body: { error: 'code' } };
  world.mfaTokens.delete(call.bearer!);
  const { id, email } = world.user;
  return { status: 200, body: { ...grant(world, id), token_type: 'bearer', user: { id, email, role: 'owner' } } };
}

export function refresh(world: World, call: Call): Answer {
  if (!expectFields(world.departures, call.endpoint, call.body, { refresh_token: 'text' })) return { status: 400 };
  const { refresh_token: token } = call.body;
  const state = world.refreshTokens.get(token);
  if (state === 'spent') world.departures.push(`${call.endpoint}: a refresh token was used twice`);
  if (state !== 'good') return { status: 401 };
  world.refreshTokens.set(token, 'spent');
  return { status: 200, body: grant(world, world.user.id) };
}

function grant(world: World, subject: string) {
  const refreshToken = freshId('refresh');
  world.refreshTokens.set(refreshToken, 'good');
  return { access_token: accessToken(world, subject), refresh_token: refreshToken, expires_in: world.tokenSeconds };
}

function accessToken(world: World, subject: string): string {
  const token = jsonWebToken(subject);
  world.accessTokens.set(token, { subject, expiresAt: timeOf(world) + world.tokenSeconds * 1000 });
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
export function deviceAuth(world: World, call: Call): Answer {
  if (call.bearer !== undefined) world.departures.push(`${call.endpoint}: a bearer header where none belongs`);
  const fields = { device_key: 'text', device_id: 'text', signature: 'text' } as const;
  if (!expectFields(world.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { device_key: key, device_id: id, signature } = call.body;
  const parts = /^t=([0-9]+),v1=([0-9a-f]{64})$/.exec(signature);
  if (!parts) {
    world.departures.push(`${call.endpoint}: the signature has another form: ${signature}`);
    return { status: 400 };
  }
  const device = world.devices.get(id);
  const expected = createHmac('sha256', device?.key ?? '')
    .update(`${parts[1]}.${id}`)
    .digest();
  const right = device?.key === key && timingSafeEqual(expected, Buffer.from(parts[2]!, 'hex'));
  const inTime = Math.abs(Number(parts[1]) - timeOf(world) / 1000) <= 300;
  if (!device || !right || !inTime || world.signaturesSeen.has(signature)) return { status: 401 };
  world.signaturesSeen.add(signature);
  return {
    status: 200,
    body: {
      access_token: accessToken(world, id),
      expires_in: world.tokenSeconds,
      device: { id, name: device.name, permissions: ['backup', 'restore', 'status'] },
    },
  };
}

export function devices(world: World): Answer {
  const list = [...world.devices].map(([id, { name, lastBackup }]) => ({
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
