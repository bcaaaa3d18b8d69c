import { z } from 'zod';

/** A test restore of a set, as a certificate states it. */
export const certifiedDrill = z.object({
  set: z.string(),
  /** The name of the destination. */
  destination: z.string(),
  /** When it ended. Milliseconds since the epoch. */
  at: z.number(),
  restorePoint: z.string(),
  pointFiles: z.int(),
  pointBytes: z.number(),
  newestFiles: z.int(),
  randomFiles: z.int(),
  filesRestored: z.int(),
  bytesRestored: z.number(),
  filesCompared: z.int(),
  filesSameOnDisk: z.int(),
  /** Files that could not be restored, or differ; the first of `failuresTotal`. */
  failures: z.array(z.string()),
  failuresTotal: z.int(),
  /** SHA-256 of the list of hashes. */
  digest: z.string(),
  /** The first 500. */
  sample: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type CertifiedDrill = Readonly<z.infer<typeof certifiedDrill>>;

/** What a certificate of test restores states. */
export const certificate = z.object({
  device: z.object({ id: z.string(), name: z.string() }),
  version: z.string(),
  /** When it was issued. Milliseconds since the epoch. */
  issuedAt: z.number(),
  drills: z.array(certifiedDrill),
});
export type Certificate = Readonly<z.infer<typeof certificate>>;
