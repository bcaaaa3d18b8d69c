import { z } from 'zod';
import { chunkHash } from '../../protocol/chunk.ts';
import { isoTime, reachingTime } from './iso-time.ts';

/*
 * What this program reads of the answers of any service. The schemas of src/protocol describe the answers of Holdfast's own service. Another
 * one may leave out a field, or spoil it. Here, only what nothing can stand in for is required, and a list is read element by element: one
 * that is malformed is left out, and the rest is used.
 */

const LIFETIME_SECONDS = 3600;

/** An opaque identifier, also one in the form of a token. */
const identifier = z.string().min(1).max(16_000);

/** A text for people. */
const text = z.string().catch('');

/** A number for people. */
const count = z.int().nonnegative();

/** ISO 8601 in UTC or with an offset, in any of its forms. */
export const time = z.string().transform((written, context) => {
  const read = isoTime(written);
  if (read !== undefined) return read;
  context.issues.push({ code: 'custom', input: written, message: 'expected a time in ISO 8601' });
  return z.NEVER;
});

/** A time of a restore point, which a request for that time reaches. */
const pointTime = time.transform(reachingTime);

/** A hash, whose digits may be capitals. */
export const chunkName = z.string().toLowerCase().pipe(chunkHash);

/** A list without its malformed elements. */
function listOf<Shape extends z.ZodType>(shape: Shape): z.ZodType<z.output<Shape>[]> {
  return z.array(z.unknown()).transform((elements) => readable(shape, elements));
}

/** A list whose malformed elements are counted, since something may be hidden with them. */
function countedListOf<Shape extends z.ZodType>(
  shape: Shape,
): z.ZodType<{ readonly elements: z.output<Shape>[]; readonly malformed: number }> {
  return z.array(z.unknown()).transform((all) => {
    const elements = readable(shape, all);
    return { elements, malformed: all.length - elements.length };
  });
}

function readable<Shape extends z.ZodType>(shape: Shape, elements: readonly unknown[]): z.output<Shape>[] {
  return elements.flatMap((element) => {
    const read = shape.safeParse(element);
    return read.success ? [read.data] : [];
  });
}

/** Seconds for which something is valid. Without them it is used until it is refused. */
const lifetime = (seconds: number): z.ZodCatch<z.ZodNumber> => z.number().positive().catch(seconds);

export const capabilitiesAnswer = z.object({ capabilities: listOf(z.string()) });

export const initAnswer = z.object({
  session_id: identifier,
  chunks_deduped: count.catch(0),
  chunks_to_upload: count.catch(0),
});

export const uploadAnswer = z.object({
  upload_url: z.url(),
  expires_in: lifetime(LIFETIME_SECONDS),
  method: z.string().catch('PUT'),
  headers: z.record(z.string(), z.unknown()).catch({}).transform(headersIn),
});
export type UploadAnswer = z.infer<typeof uploadAnswer>;

/** Returns the headers that can be sent: texts, and numbers as texts. */
function headersIn(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const values = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
  );
  return Object.fromEntries(values);
}

export const uploadsAnswer = z.object({
  uploads: listOf(uploadAnswer.extend({ chunk_hash: chunkName })),
  /** Chunks whose blobs are already stored. */
  stored: listOf(chunkName).catch([]),
});

export const completeAnswer = z.object({
  backup_id: identifier.optional().catch(undefined),
  status: z.string().catch('completed'),
  restore_point: pointTime,
  completed_at: time.optional().catch(undefined),
  storage_used_bytes: z.number().nonnegative().optional().catch(undefined),
});

/** Compared with what was counted. What is no number differs from it. */
const total = z.preprocess((value) => value ?? undefined, z.number().catch(Number.NaN).optional());

export const manifestAnswer = z.object({
  restore_session_id: identifier,
  point_in_time: pointTime.optional().catch(undefined),
  total_files: total,
  total_chunks: total,
  unique_chunks: total,
  total_bytes: total,
});
export type ManifestAnswer = z.infer<typeof manifestAnswer>;

export const downloadsAnswer = z.object({
  downloads: listOf(
    z.object({
      hash: chunkName,
      url: z.url({ protocol: /^https?$/ }),
      /** Bytes of the blob, as the service says. */
      size: z.int().positive().optional().catch(undefined),
      expires_in: lifetime(LIFETIME_SECONDS),
    }),
  ),
});

export const restorePointsAnswer = z.object({
  restore_points: countedListOf(
    z.object({
      restore_point: pointTime,
      completed_at: time.optional().catch(undefined),
      backup_id: identifier,
      files: count.catch(0),
      bytes: count.catch(0),
    }),
  ),
});

export const backupSetsAnswer = z.object({
  backup_sets: countedListOf(z.object({ name: z.string().min(1), last_restore_point: pointTime.nullish() })),
});

export const devicesAnswer = z.object({
  devices: listOf(
    z.object({
      id: identifier,
      name: text,
      os: text,
      agent_version: text,
      last_backup: time.nullish().catch(undefined),
      last_seen: time.nullish().catch(undefined),
      status: text,
    }),
  ),
});

const token = z.string().min(1).max(16_000);

export const deviceSessionAnswer = z.object({ access_token: token, expires_in: lifetime(LIFETIME_SECONDS) });

export const refreshAnswer = deviceSessionAnswer.extend({ refresh_token: token });

export const sessionAnswer = refreshAnswer.extend({
  token_type: z.string().catch('bearer'),
  user: z.object({ id: text, email: text, role: text }).catch({ id: '', email: '', role: '' }),
});

export const challengeAnswer = z.object({
  mfa_required: z.boolean().catch(true),
  mfa_token: token,
  factors: listOf(z.object({ id: identifier, type: z.string(), friendly_name: text })),
});
