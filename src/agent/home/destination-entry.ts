import { randomBytes } from 'node:crypto';
import { z } from 'zod';

export const destinationForm = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), directory: z.string().min(1) }),
  z.object({
    kind: z.literal('bucket'),
    /** `s3://BUCKET[/PREFIX]` */
    address: z.string().min(1),
    endpoint: z.url().optional(),
    region: z.string().min(1),
  }),
  z.object({
    kind: z.literal('sftp'),
    host: z.string().min(1),
    /** 22 by default. */
    port: z.int().min(1).max(65_535).optional(),
    user: z.string().min(1),
    /** Absolute, or relative to the user's own folder; empty for that folder itself. */
    path: z.string(),
    /** The fingerprint that was confirmed, as `ssh-keygen -l` shows it. */
    hostKey: z.string().min(1),
  }),
  z.object({ kind: z.literal('webdav'), url: z.url(), user: z.string().min(1).optional() }),
  /** `REMOTE:PATH` of rclone's own configuration. */
  z.object({ kind: z.literal('rclone'), remote: z.string().min(1) }),
  z.object({
    kind: z.literal('service'),
    url: z.url(),
    /** The sign-in of this computer: by its device key, or as a person whose refresh token is stored. */
    signIn: z.discriminatedUnion('kind', [
      /** `email` is of the person who registered the device, if known. */
      z.object({ kind: z.literal('device'), email: z.string().optional() }),
      z.object({ kind: z.literal('user'), email: z.string() }),
    ]),
  }),
]);
/** A repository in a store of files, or a remote service. */
export type Destination = Readonly<z.infer<typeof destinationForm>>;

/** Where backups go, and as which device. */
export const destinationEntry = z.object({
  /** Identifies it in the catalog, the journal and the schedule's memory. Never used again. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** Shown to people, who may choose it. No other destination has it, whatever its case. */
  name: z.string().min(1),
  destination: destinationForm,
  deviceId: z.string().min(1),
  deviceName: z.string(),
  /** The name of its secrets (KeyStore.saveDestination). `undefined` for those of the setup. */
  credentials: z.string().optional(),
  /** Replaces the schedules of the sets (sets/schedule-spec.ts). By default each set has its own. */
  schedule: z.string().optional(),
  /** The share of parity there, in percent (docs/repository.md#parity). `undefined` at a service. */
  parity: z.int().min(0).max(100).optional(),
});
export type DestinationEntry = Readonly<z.infer<typeof destinationEntry>>;

/** A destination of earlier backups, which are still there. */
export const formerDestination = destinationEntry.extend({
  /** Milliseconds since the epoch. */
  leftAt: z.number(),
});
export type FormerDestination = Readonly<z.infer<typeof formerDestination>>;

/** Returns an id for another destination. */
export function newDestinationId(): string {
  return randomBytes(4).toString('hex');
}
