import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** A disk of this computer that can store backups. */
export const place = z.object({
  path: z.string(),
  label: z.string(),
  kind: z.enum(['external', 'internal', 'network', 'system']),
  freeBytes: z.number(),
  totalBytes: z.number(),
  /** The disk that the person's own files are on: if it breaks, both are gone. */
  isSameDisk: z.boolean(),
  /** There are backups of Holdfast's already. */
  holdsBackups: z.boolean(),
});
export type Place = Readonly<z.infer<typeof place>>;

/** The chosen destination. Its secrets are never returned. */
export const destinationChoice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string().min(1) }),
  z.object({
    kind: z.literal('bucket'),
    /** `s3://BUCKET[/PREFIX]` */
    address: z.string().min(1),
    endpoint: z.string().optional(),
    region: z.string().optional(),
    accessKeyId: z.string().min(1),
    secretAccessKey: z.string().min(1),
  }),
  z.object({ kind: z.literal('service'), url: z.string().min(1) }),
]);
export type DestinationChoice = Readonly<z.infer<typeof destinationChoice>>;

/** A kind of second factor; `totp`, `recovery` or one that we do not know. */
export const factor = z.object({ id: z.string(), kind: z.string(), name: z.string().optional() });
export type Factor = Readonly<z.infer<typeof factor>>;

/** How the destination answered before anything was saved. */
export const trial = z.object({
  /** Where backups would go, as the settings would name it. */
  place: z.string(),
  /** It contains backups: the phrase that opens them is needed. */
  holdsBackups: z.boolean(),
  freeBytes: z.number().optional(),
  isSameDisk: z.boolean().optional(),
  /** For a service: how people can sign in. */
  signIn: z.object({ password: z.boolean(), provider: z.boolean() }).optional(),
});
export type Trial = Readonly<z.infer<typeof trial>>;

/** Where signing in stands. */
export const signInStep = z.discriminatedUnion('kind', [
  /** A second factor is asked for. */
  z.object({ kind: z.literal('factors'), factors: z.array(factor) }),
  /** Signed in; `holdsBackups` as in a trial. Devices that can be gone on as. */
  z.object({
    kind: z.literal('signed-in'),
    email: z.string(),
    holdsBackups: z.boolean(),
    devices: z.array(z.object({ id: z.string(), name: z.string(), lastSeen: z.string().optional() })),
  }),
]);
export type SignInStep = Readonly<z.infer<typeof signInStep>>;

/** A set that has restore points at the destination and could be gone on with. */
export const storedSet = z.object({ deviceId: z.string(), deviceName: z.string().optional(), set: z.string() });
export type StoredSet = Readonly<z.infer<typeof storedSet>>;

export const setupMethods = {
  'setup.places': method(z.object({}), z.object({ places: z.array(place), deviceName: z.string() })),
  /** Tries a destination; nothing is saved there or here. Fails with `destination_*`, `service_*`, `usage`. */
  'setup.try': method(z.object({ destination: destinationChoice }), trial),
  /** For a service. Fails with `password_wrong`, `service_*`. The sign-in is kept for `setup.finish`, in the agent. */
  'setup.sign-in': method(
    z.object({ url: z.string().min(1), email: z.string().min(1), password: z.string().min(1) }),
    signInStep,
  ),
  /** Fails with `code_wrong`, `signed_out` (the time for it is over: begin again). */
  'setup.verify-factor': method(z.object({ factor: z.string().min(1), code: z.string().min(1) }), signInStep),
  /** Through the identity provider, in the system's browser. Answers when the person is back, or fails with `provider_refused`. */
  'setup.sign-in-with-provider': method(z.object({ url: z.string().min(1) }), signInStep),
  /** Gives an unfinished sign-in up. */
  'setup.cancel': method(z.object({}), z.object({})),
  /**
   * Joins the destination and saves. With `phrase` the backups that are there are adopted. Fails with `phrase_needed`,
   * `phrase_invalid`, `phrase_other_account`, `already_set_up`, and as `setup.try`.
   */
  'setup.finish': method(
    z.object({
      destination: destinationChoice,
      deviceName: z.string().min(1).max(100),
      /** Continue as an existing device. */
      deviceId: z.string().optional(),
      phrase: z.string().optional(),
    }),
    z.object({ isAdopted: z.boolean(), storedSets: z.array(storedSet) }),
  ),
  /** The phrase of a home that was made just now and whose words were not asked back yet. Fails with `refused` later on. */
  'setup.phrase': method(z.object({}), z.object({ words: z.array(z.string()), ask: z.array(z.int()).length(2) })),
  /** The two words that `ask` (0-based) named. Answers whether they are right; only then is the phrase confirmed. */
  'setup.confirm-phrase': method(
    z.object({ words: z.array(z.string()).length(2) }),
    z.object({ isRight: z.boolean() }),
  ),
} as const;
