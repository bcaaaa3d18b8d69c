import { z } from 'zod';
import { chunkHash } from './chunk.ts';

/**
 * Stable values of `code` in error responses of Holdfast's service. An agent relies on the HTTP status, which every service
 * sends, and uses the code only for details.
 */
export const PROBLEM_CODES = [
  'malformed_request',
  'token_missing',
  'token_invalid',
  'credentials_invalid',
  'code_invalid',
  'passkey_invalid',
  'signature_invalid',
  'signature_time_invalid',
  'permission_denied',
  'factor_required',
  'url_invalid',
  'not_found',
  'session_not_found',
  'session_closed',
  'no_restore_point',
  'method_not_allowed',
  'chunks_missing',
  'base_outdated',
  'chunk_not_in_session',
  'chunk_size_mismatch',
  'blob_exists',
  'conflict',
  'too_large',
  'request_timeout',
  'unsupported_media_type',
  'quota_exceeded',
  'unprocessable',
  'too_many_requests',
  'insufficient_storage',
  'unavailable',
  'internal',
] as const;
export const problemCode = z.enum(PROBLEM_CODES);
export type ProblemCode = z.infer<typeof problemCode>;

/** RFC 9457 problem details, media type `application/problem+json`. */
export const problem = z.object({
  type: z.string().default('about:blank'),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string().optional(),
  /** 409 at complete: the chunks of the manifest that are not stored. */
  missing_chunks: z.array(chunkHash).optional(),
  /** 404 at a restore manifest: the restore points nearest to the requested time. */
  nearest_restore_points: z.array(z.string()).optional(),
  /** 401 for the time of a device signature: the service's time. */
  service_time: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
