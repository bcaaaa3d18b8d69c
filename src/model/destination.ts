import { z } from 'zod';

/** Identifies a destination of this computer. */
export const destinationId = z.string().regex(/^[0-9a-f]{8}$/);

/** Where backups are, as the settings have it: without secrets, and with nothing left to be read. */
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

/** One of several destinations. Methods take its id. */
export const place = z.object({ id: z.string(), name: z.string() });
export type Place = Readonly<z.infer<typeof place>>;

/**
 * What a store does not promise: that it refuses to replace files, that two computers cannot create the same file at once, that
 * anything can be deleted, that what is deleted frees space at once, that a file survives a power cut, that the connection is encrypted, and that anything can be written at all.
 */
export const STORE_CAUTIONS = [
  'overwrites',
  'races',
  'grows',
  'versions',
  'power-cut',
  'unencrypted',
  'read-only',
] as const;
export type StoreCaution = (typeof STORE_CAUTIONS)[number];
