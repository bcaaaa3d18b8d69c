import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../base/crypto/hmac.ts';
import { DEVICE_SIGNATURE_WINDOW, deviceSignatureMessage, parseDeviceSignature } from '../../protocol/auth.ts';
import type { DeviceAuthRequest, DeviceSession } from '../../protocol/auth.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { ACCESS_LIFETIME } from './tokens/access-tokens.ts';
import type { AccessTokens } from './tokens/access-tokens.ts';
import { permissionsOfDevice } from './permissions.ts';
import { throttledByAddress } from './throttle.ts';

/** Creates 256 random bits. The store contains only `deviceKeyHash` of it. */
export function newDeviceKey(): string {
  return `hfk_${randomBytes(32).toString('base64url')}`;
}

/** Plain SHA-256 suffices, since 256 random bits cannot be guessed. */
export function deviceKeyHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Exchanges a device key for an access token. The signature's key is the device key, which is also in the body, so it
 * proves freshness: each signature is valid once, for five minutes. Wrong keys count against the address of the client only: whoever
 * knows a device's id must not be able to lock it out, and 256 random bits need no other protection.
 */
export async function deviceAuth(
  context: ServiceContext,
  tokens: AccessTokens,
  request: DeviceAuthRequest,
): Promise<DeviceSession> {
  const device = await throttledByAddress(context, async () => {
    const candidate = await context.metadata.devices.find(request.device_id);
    const hash = candidate?.keyHash ?? Buffer.alloc(32);
    const right = timingSafeEqual(hash, deviceKeyHash(request.device_key));
    if (!candidate || !right || candidate.revokedAt !== undefined) throw new ServiceProblem('credentials_invalid');
    return candidate;
  });
  const now = context.clock.now();
  await checkSignature(context, request, now);
  await context.metadata.deviceActivity.seen(device.id, now);
  const { id, name } = device;
  const permissions = await permissionsOfDevice(context, device);
  return {
    access_token: await tokens.issue({ kind: 'device', sub: id, account: device.accountId }, now),
    expires_in: ACCESS_LIFETIME,
    device: { id, name, permissions: [...permissions] },
  };
}

async function checkSignature({ metadata }: ServiceContext, request: DeviceAuthRequest, now: number): Promise<void> {
  const signature = parseDeviceSignature(request.signature);
  if (!signature) throw new ServiceProblem('signature_invalid', { detail: 'expected t=<unix seconds>,v1=<hex>' });
  const { time, hexHmac } = signature;
  const message = deviceSignatureMessage(time, request.device_id);
  const expected = hmacSha256(request.device_key, message);
  if (!timingSafeEqual(expected, Buffer.from(hexHmac, 'hex'))) throw new ServiceProblem('signature_invalid');
  if (Math.abs(now / 1000 - time) > DEVICE_SIGNATURE_WINDOW) {
    throw new ServiceProblem('signature_time_invalid', {
      detail: `the time differs by more than ${DEVICE_SIGNATURE_WINDOW} s`,
      serviceTime: formatTimestamp(now),
    });
  }
  const expiresAt = (time + DEVICE_SIGNATURE_WINDOW + 1) * 1000;
  const fresh = await metadata.tokens.spend(`signature:${request.device_id}:${hexHmac}`, expiresAt);
  if (!fresh) throw new ServiceProblem('signature_invalid', { detail: 'this signature was used already' });
}
