import { z } from 'zod';
import type { DestinationSecrets, Secrets } from './key-store.ts';

/** The content of the secrets file: the secrets of the setup's destination, and of later ones. */
export interface StoredSecrets extends Secrets {
  /** By the names that the settings give them. */
  readonly destinations?: Readonly<Record<string, DestinationSecrets>>;
}

const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

const destinationForm = z.object({
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
  sftp: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('password'), password: z.string() }),
      z.object({ kind: z.literal('key-file'), file: z.string().min(1), passphrase: z.string().optional() }),
      z.object({ kind: z.literal('agent'), socket: z.string().min(1).optional() }),
    ])
    .optional(),
  webdav: z.object({ password: z.string() }).optional(),
  keyEnvelope: bytes,
});

/** Parses what `writtenSecrets` returned. The error of a failure may quote the secrets. */
export const secretsForm = destinationForm
  .extend({
    version: z.literal(1),
    masterKey: bytes.refine((key) => key.length === 32),
    destinations: z.record(z.string(), destinationForm).optional(),
  })
  .transform(({ version: _version, ...secrets }): StoredSecrets => secrets as StoredSecrets);

/** Converts secrets into the JSON of the file. */
export function writtenSecrets({ masterKey, destinations, ...own }: StoredSecrets): z.input<typeof secretsForm> {
  const others = Object.entries(destinations ?? {}).map(
    ([name, secrets]) => [name, withEncodedEnvelope(secrets)] as const,
  );
  return {
    version: 1,
    masterKey: base64Of(masterKey),
    ...withEncodedEnvelope(own),
    ...(destinations && { destinations: Object.fromEntries(others) }),
  };
}

function withEncodedEnvelope(secrets: DestinationSecrets): z.input<typeof destinationForm> {
  return { ...secrets, keyEnvelope: base64Of(secrets.keyEnvelope) };
}

function base64Of(data: Uint8Array): string {
  return Buffer.from(data).toString('base64');
}
