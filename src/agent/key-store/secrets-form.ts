import { z } from 'zod';
import { LAST_EPOCH } from '../../format/crypto/keys.ts';
import { accountSecretsIn, destinationSecretsIn, type DestinationSecrets, type Secrets } from './key-store.ts';

/** The content of the secrets file: the secrets of the setup's destination, and of later ones. */
export interface StoredSecrets extends Secrets {
  /** By the names that the settings give them. */
  readonly destinations?: Readonly<Record<string, DestinationSecrets>>;
  /** The passwords of mail servers for reports, by the address of the server with its user. */
  readonly mailPasswords?: Readonly<Record<string, string>>;
}

const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

const key = bytes.refine((value) => value.length === 32);
const epoch = z.int().min(1).max(LAST_EPOCH);

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
    masterKey: key,
    epoch: epoch.optional(),
    earlierKeys: z.array(z.object({ epoch, master: key })).optional(),
    deviceSecret: key.optional(),
    revoked: z.array(key).optional(),
    destinations: z.record(z.string(), destinationForm).optional(),
    mailPasswords: z.record(z.string(), z.string()).optional(),
  })
  .transform(({ version: _version, ...secrets }): StoredSecrets => secrets as StoredSecrets);

/** Converts secrets into the JSON of the file. */
export function writtenSecrets({ destinations, mailPasswords, ...stored }: StoredSecrets): z.input<typeof secretsForm> {
  const { masterKey, epoch: current, earlierKeys, deviceSecret, revoked } = accountSecretsIn(stored);
  const own = destinationSecretsIn(stored);
  const others = Object.entries(destinations ?? {}).map(
    ([name, secrets]) => [name, withEncodedEnvelope(secrets)] as const,
  );
  return {
    version: 1,
    masterKey: base64Of(masterKey),
    ...(current !== undefined && { epoch: current }),
    ...(earlierKeys && {
      earlierKeys: earlierKeys.map(({ epoch: of, master }) => ({ epoch: of, master: base64Of(master) })),
    }),
    ...(deviceSecret && { deviceSecret: base64Of(deviceSecret) }),
    ...(revoked && { revoked: revoked.map(base64Of) }),
    ...withEncodedEnvelope(own),
    ...(destinations && { destinations: Object.fromEntries(others) }),
    ...(mailPasswords && { mailPasswords }),
  };
}

function withEncodedEnvelope(secrets: DestinationSecrets): z.input<typeof destinationForm> {
  return { ...secrets, keyEnvelope: base64Of(secrets.keyEnvelope) };
}

function base64Of(data: Uint8Array): string {
  return Buffer.from(data).toString('base64');
}
