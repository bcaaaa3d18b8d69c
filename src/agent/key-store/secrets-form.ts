import { z } from 'zod';
import type { DestinationSecrets, Secrets } from './key-store.ts';

/** All that is in the file. */
export interface KeptSecrets extends Secrets {
  /** Of places that the setup did not make, by the names that the settings give them. */
  readonly places?: Readonly<Record<string, DestinationSecrets>>;
}

const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

const placeForm = z.object({
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
const writtenForm = placeForm.extend({
  version: z.literal(1),
  masterKey: bytes.refine((key) => key.length === 32),
  places: z.record(z.string(), placeForm).optional(),
});

/** Parses what `writtenSecrets` returned. The error of a failure may quote the secrets. */
export const secretsForm = writtenForm.transform(({ masterKey, places, ...own }): KeptSecrets => {
  const all = { masterKey, ...placeOf(own) };
  if (!places) return all;
  const read = Object.entries(places).map(([name, place]): [string, DestinationSecrets] => [name, placeOf(place)]);
  return { ...all, places: Object.fromEntries(read) };
});

/** Returns secrets as JSON holds them. */
export function writtenSecrets({ masterKey, places, ...own }: KeptSecrets): z.input<typeof secretsForm> {
  return {
    version: 1,
    masterKey: base64Of(masterKey),
    ...placeText(own),
    places: places && Object.fromEntries(Object.entries(places).map(([name, place]) => [name, placeText(place)])),
  };
}

function placeOf({ keyEnvelope, deviceKey, session, bucket }: z.infer<typeof placeForm>): DestinationSecrets {
  return {
    keyEnvelope,
    ...(deviceKey === undefined ? {} : { deviceKey }),
    ...(session === undefined ? {} : { session }),
    ...(bucket === undefined ? {} : { bucket }),
  };
}

function placeText({ keyEnvelope, deviceKey, session, bucket }: DestinationSecrets): z.input<typeof placeForm> {
  return { deviceKey, session, bucket, keyEnvelope: base64Of(keyEnvelope) };
}

function base64Of(data: Uint8Array): string {
  return Buffer.from(data).toString('base64');
}
