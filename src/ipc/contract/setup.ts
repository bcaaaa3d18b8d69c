import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { STORE_CAUTIONS } from '../../model/destination.ts';

/** A disk of this computer that can store backups. */
export const availableDisk = z.object({
  path: z.string(),
  /** The folder that backups on it would get, or have. */
  folder: z.string(),
  label: z.string(),
  kind: z.enum(['external', 'internal', 'network', 'system']),
  freeBytes: z.number(),
  totalBytes: z.number(),
  /** True if the person's own files are on this disk: if it breaks, both are lost. */
  isSameDisk: z.boolean(),
  /** True if the disk contains Holdfast's backups already. */
  holdsBackups: z.boolean(),
});
export type AvailableDisk = Readonly<z.infer<typeof availableDisk>>;

/** Bytes of parity for a hundred bytes, if the backups there are begun now; none by default. */
const parity = z.int().min(0).max(100).optional();

/** The chosen destination. Its secrets are never returned. */
export const destinationChoice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string().min(1), parity }),
  z.object({
    kind: z.literal('bucket'),
    /** `s3://BUCKET[/PREFIX]` */
    address: z.string().min(1),
    endpoint: z.string().optional(),
    region: z.string().optional(),
    accessKeyId: z.string().min(1),
    secretAccessKey: z.string().min(1),
    /** Nobody can delete a file there for so many days after each backup; 0 for no locks. */
    objectLockDays: z.int().min(0).max(365).optional(),
    parity,
  }),
  z.object({
    kind: z.literal('sftp'),
    /** A name or an IP address, with a port if that is not 22. */
    host: z.string().min(1),
    user: z.string().min(1),
    /** Absolute, or relative to the user's own folder. */
    path: z.string(),
    signIn: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('password'), password: z.string().min(1) }),
      z.object({ kind: z.literal('key-file'), file: z.string().min(1), passphrase: z.string().optional() }),
      /** The first key of ssh on this computer, or of its agent, that the server accepts. */
      z.object({ kind: z.literal('default') }),
    ]),
    /** The fingerprint that the person confirmed, as `ssh-keygen -l` shows it. */
    hostKey: z.string().optional(),
    parity,
  }),
  z.object({
    kind: z.literal('webdav'),
    /** `https://HOST[:PORT]/PATH`, or with `http`, `davs` or `dav` */
    address: z.string().min(1),
    user: z.string().optional(),
    password: z.string().optional(),
    parity,
  }),
  /** `remote` is the name of a remote in rclone's own configuration. */
  z.object({ kind: z.literal('rclone'), remote: z.string().min(1), folder: z.string(), parity }),
  z.object({ kind: z.literal('service'), url: z.string().min(1) }),
]);
export type DestinationChoice = Readonly<z.infer<typeof destinationChoice>>;

/** A kind of second factor: `totp`, `recovery` or an unknown one. */
export const factor = z.object({ id: z.string(), kind: z.string(), name: z.string().optional() });
export type Factor = Readonly<z.infer<typeof factor>>;

/** A remote of rclone's own configuration, and its kind, such as `drive`. */
export const rcloneRemote = z.object({ name: z.string(), type: z.string() });
export type RcloneRemote = Readonly<z.infer<typeof rcloneRemote>>;

/** The result of trying a destination before anything is saved. */
export const trial = z.object({
  /** The name of the destination in the settings. */
  location: z.string(),
  /** True if it contains backups, whose phrase is then needed. */
  holdsBackups: z.boolean(),
  freeBytes: z.number().optional(),
  isSameDisk: z.boolean().optional(),
  /** Only for a store that is not a folder. */
  cautions: z.array(z.enum(STORE_CAUTIONS)).optional(),
  /** The methods of sign-in; only for a service. */
  signIn: z.object({ password: z.boolean(), provider: z.boolean() }).optional(),
});
export type Trial = Readonly<z.infer<typeof trial>>;

/** The progress of a sign-in. */
export const signInStep = z.discriminatedUnion('kind', [
  /** A second factor is required. */
  z.object({ kind: z.literal('factors'), factors: z.array(factor) }),
  /** Signed in; `holdsBackups` as in a trial. `devices` are those that this computer can continue as. */
  z.object({
    kind: z.literal('signed-in'),
    email: z.string(),
    holdsBackups: z.boolean(),
    devices: z.array(z.object({ id: z.string(), name: z.string(), lastSeen: z.string().optional() })),
  }),
]);
export type SignInStep = Readonly<z.infer<typeof signInStep>>;

/** A set with restore points at the destination that can be continued. */
export const storedSet = z.object({ deviceId: z.string(), deviceName: z.string().optional(), set: z.string() });
export type StoredSet = Readonly<z.infer<typeof storedSet>>;

export const setupMethods = {
  'setup.disks': method(z.object({}), z.object({ disks: z.array(availableDisk), deviceName: z.string() })),
  /**
   * Tries a destination; no file is left there, and nothing is saved here. Fails with `destination_*`, `service_*`,
   * `permission_denied`, and `usage`: with `host-key-unconfirmed`, the choice lacks the fingerprint of its details.
   */
  'setup.try': method(z.object({ choice: destinationChoice }), trial),
  /** Fails with `usage` (`rclone-missing`, `rclone-unreadable`). */
  'setup.rclone-remotes': method(z.object({}), z.object({ remotes: z.array(rcloneRemote) })),
  /** Signs in to a service. Fails with `password_wrong`, `service_*`. The agent keeps the sign-in for `setup.finish`. */
  'setup.sign-in': method(
    z.object({ url: z.string().min(1), email: z.string().min(1), password: z.string().min(1) }),
    signInStep,
  ),
  /** Fails with `code_wrong`, `signed_out` (the time limit has passed: begin again). */
  'setup.verify-factor': method(z.object({ factor: z.string().min(1), code: z.string().min(1) }), signInStep),
  /**
   * Signs in at the identity provider, in the system's browser. Returns when the person is back; fails with
   * `provider_refused`.
   */
  'setup.sign-in-with-provider': method(z.object({ url: z.string().min(1) }), signInStep),
  /** Cancels an unfinished sign-in. */
  'setup.cancel': method(z.object({}), z.object({})),
  /**
   * Joins the destination and saves the settings. With `phrase`, `keyCode` or `passphrase`, existing backups there are adopted. Fails with
   * `phrase_needed`, `phrase_invalid`, `phrase_other_account`, `key_code_wrong`, `passphrase_wrong`, `already_set_up`, and as `setup.try`.
   */
  'setup.finish': method(
    z.object({
      choice: destinationChoice,
      deviceName: z.string().min(1).max(100),
      /** Continue as an existing device. */
      deviceId: z.string().optional(),
      phrase: z.string().optional(),
      /** A one-time code that another computer shows. */
      keyCode: z.string().optional(),
      passphrase: z.string().optional(),
    }),
    z.object({ isAdopted: z.boolean(), storedSets: z.array(storedSet) }),
  ),
  /** Returns the phrase of a new home until its words have been confirmed. Fails with `refused` later. */
  'setup.phrase': method(z.object({}), z.object({ words: z.array(z.string()), ask: z.array(z.int()).length(2) })),
  /**
   * Checks the two words at the positions `ask` (0-based). Returns whether they are right; only then is the phrase
   * confirmed.
   */
  'setup.confirm-phrase': method(
    z.object({ words: z.array(z.string()).length(2) }),
    z.object({ isRight: z.boolean() }),
  ),
} as const;
