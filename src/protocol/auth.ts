import { z } from 'zod';
import { identifier, opaqueToken } from './identifier.ts';

export const passwordGrantRequest = z.object({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1_000),
});
export type PasswordGrantRequest = z.infer<typeof passwordGrantRequest>;

export const mfaFactor = z.object({ id: identifier, type: z.string(), friendly_name: z.string() });
export type MfaFactor = z.infer<typeof mfaFactor>;

/** Response to a correct password: no access token yet, but the available second factors. */
export const mfaChallenge = z.object({
  mfa_required: z.boolean(),
  mfa_token: opaqueToken,
  factors: z.array(mfaFactor),
});
export type MfaChallenge = z.infer<typeof mfaChallenge>;

export const factorVerifyRequest = z.object({ code: z.string().min(1).max(512) });

export const user = z.object({ id: identifier, email: z.string(), role: z.string() });
export type User = z.infer<typeof user>;

export const userSession = z.object({
  access_token: opaqueToken,
  refresh_token: opaqueToken,
  token_type: z.string(),
  expires_in: z.number().positive(),
  user,
});
export type UserSession = z.infer<typeof userSession>;

export const refreshGrantRequest = z.object({ refresh_token: opaqueToken });

export const refreshedSession = z.object({
  access_token: opaqueToken,
  refresh_token: opaqueToken,
  expires_in: z.number().positive(),
});
export type RefreshedSession = z.infer<typeof refreshedSession>;

/** Permissions of a device key. Other services may have further ones, which are kept. */
export const DEVICE_PERMISSIONS = ['backup', 'restore', 'status'] as const;
export type DevicePermission = (typeof DEVICE_PERMISSIONS)[number];

export const deviceAuthRequest = z.object({
  device_key: opaqueToken,
  device_id: identifier,
  signature: z.string().min(1).max(512),
});
export type DeviceAuthRequest = z.infer<typeof deviceAuthRequest>;

export const deviceSession = z.object({
  access_token: opaqueToken,
  expires_in: z.number().positive(),
  device: z.object({ id: identifier, name: z.string(), permissions: z.array(z.string()) }),
});
export type DeviceSession = z.infer<typeof deviceSession>;

/** Most seconds between the time of a device signature and the service's time. */
export const DEVICE_SIGNATURE_WINDOW = 300;

/** The message that a device signs with HMAC-SHA256 and its device key. @param time Unix seconds */
export function deviceSignatureMessage(time: number, deviceId: string): string {
  return `${time}.${deviceId}`;
}

/** Formats `signature`: `t=<unix seconds>,v1=<hex HMAC>`. */
export function formatDeviceSignature(time: number, hexHmac: string): string {
  return `t=${time},v1=${hexHmac}`;
}

/** Parses a device signature. Returns `undefined` for any other format. */
export function parseDeviceSignature(signature: string): { time: number; hexHmac: string } | undefined {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature);
  return match ? { time: Number(match[1]), hexHmac: match[2]! } : undefined;
}
