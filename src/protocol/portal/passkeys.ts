import { z } from 'zod';
import { timestamp } from '../timestamp.ts';

/** Base64url, as long as authenticators make it. */
const bytes = z
  .string()
  .regex(/^[\w-]*$/)
  .max(20_000);
const credentialId = bytes.min(1).max(1_400);
const extensionResults = z.record(z.string(), z.unknown()).default({});
const transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);

const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  clientExtensionResults: extensionResults,
};

/** A new passkey, as a browser returns it (`RegistrationResponseJSON` of WebAuthn Level 3). */
export const passkeyRegistration = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(transport).max(10).default([]).catch([]),
  }),
});
export type PasskeyRegistration = z.infer<typeof passkeyRegistration>;

/** The signature of a passkey (`AuthenticationResponseJSON`). */
export const passkeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
  }),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

/** What a browser gets for `navigator.credentials`, in its JSON form. The client passes it on. */
export const passkeyOptions = z.object({ options: z.record(z.string(), z.unknown()) });
export type PasskeyOptions = z.infer<typeof passkeyOptions>;

/** `code` is one of an authenticator app that the person has. */
export const addPasskeyRequest = z.object({
  friendly_name: z.string().trim().min(1).max(100),
  code: z.string().min(1).max(512),
});

export const passkeyRequest = z.object({ credential: passkeyRegistration });

export const passkey = z.object({
  id: z.string(),
  friendly_name: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});
export type Passkey = z.infer<typeof passkey>;
