import { z } from 'zod';
import type { Secrets } from './key-store.ts';

const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

const secretsForm = z.object({
  version: z.literal(1),
  masterKey: bytes.refine((key) => key.length === 32),
  deviceKey: z.string().min(1).optional(),
  session: z
    .object({ refreshToken: z.string().min(1), accessToken: z.string().min(1), expiresAt: z.number() })
    .optional(),
  bucket: z
    .object({
      accessKeyId: z.string().min(1),
      secretAccessKey: z.string().min(1),
      sessionToken: z.string().min(1).optional(),
    })
    .optional(),
  keyEnvelope: bytes,
});

/** Throws where it is none; what is thrown may quote the secrets. */
export function parseSecrets(text: string): Secrets {
  const { masterKey, keyEnvelope, deviceKey, session, bucket } = secretsForm.parse(JSON.parse(text));
  return {
    masterKey,
    keyEnvelope,
    ...(deviceKey === undefined ? {} : { deviceKey }),
    ...(session === undefined ? {} : { session }),
    ...(bucket === undefined ? {} : { bucket }),
  };
}

export function secretsText(secrets: Secrets): string {
  const form = {
    version: 1,
    masterKey: Buffer.from(secrets.masterKey).toString('base64'),
    deviceKey: secrets.deviceKey,
    session: secrets.session,
    bucket: secrets.bucket,
    keyEnvelope: Buffer.from(secrets.keyEnvelope).toString('base64'),
  };
  return `${JSON.stringify(form, undefined, 2)}\n`;
}
