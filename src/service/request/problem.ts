import { DatabaseError } from 'pg';
import type { Problem, ProblemCode } from '../../protocol/problem.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import { BucketError } from '../../storage/bucket/bucket-error.ts';
import { isConnectionFailure } from '../database/postgres/connection-failure.ts';

const STATUS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  malformed_request: [400, 'The request is malformed'],
  token_missing: [401, 'An access token is needed'],
  token_invalid: [401, 'The token is not valid, or no longer'],
  credentials_invalid: [401, 'The credentials are not right'],
  code_invalid: [401, 'The code is not right, or was used already'],
  passkey_invalid: [401, 'The passkey is not right, or its answer was used already'],
  signature_invalid: [401, 'The signature is not right, or was used already'],
  signature_time_invalid: [401, 'The time of the signature is not right'],
  permission_denied: [403, 'This is not permitted'],
  factor_required: [403, 'This takes a code of the second factor'],
  url_invalid: [403, 'The presigned address is not valid, or no longer'],
  not_found: [404, 'There is no such thing'],
  session_not_found: [404, 'There is no such session'],
  no_restore_point: [404, 'There is no restore point at or before that time'],
  method_not_allowed: [405, 'This method is not allowed here'],
  session_closed: [409, 'The session has ended'],
  chunks_missing: [409, 'Chunks of the manifest are not stored'],
  base_outdated: [409, 'The whole manifest is needed'],
  request_timeout: [408, 'The request took too long to arrive'],
  conflict: [409, 'This conflicts with what is there'],
  blob_exists: [412, 'The blob is stored already'],
  too_large: [413, 'The request is too large'],
  unsupported_media_type: [415, 'The content encoding is not supported'],
  chunk_not_in_session: [422, 'The session does not need this chunk'],
  chunk_size_mismatch: [422, 'The size does not fit the chunk'],
  unprocessable: [422, 'The request is well-formed but wrong'],
  too_many_requests: [429, 'Too many tries'],
  internal: [500, 'The service failed'],
  unavailable: [503, 'The service is not available'],
  insufficient_storage: [507, 'The storage is full'],
  quota_exceeded: [413, 'The account has no room for this'],
};

/** Details of a problem. */
export interface ProblemFacts {
  readonly detail?: string;
  /** Replaces the code's status. */
  readonly status?: number;
  readonly missingChunks?: readonly string[];
  readonly nearestRestorePoints?: readonly string[];
  /** ISO 8601. */
  readonly serviceTime?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** A rejection that the caller sees (RFC 9457). `detail` never contains secrets or local paths. */
export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly facts: ProblemFacts;

  constructor(code: ProblemCode, facts: ProblemFacts = {}) {
    super(facts.detail === undefined ? code : `${code}: ${facts.detail}`, { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? STATUS[code][0];
    this.facts = facts;
  }

  /** The response body. */
  get body(): Problem {
    const { detail, missingChunks, nearestRestorePoints, serviceTime } = this.facts;
    return {
      type: 'about:blank',
      title: STATUS[this.code][1],
      status: this.status,
      code: this.code,
      ...(detail === undefined ? {} : { detail }),
      ...(missingChunks === undefined ? {} : { missing_chunks: [...missingChunks] }),
      ...(nearestRestorePoints === undefined ? {} : { nearest_restore_points: [...nearestRestorePoints] }),
      ...(serviceTime === undefined ? {} : { service_time: serviceTime }),
    };
  }
}

/** PostgreSQL's codes for temporary unavailability: too many connections, and the stages of a shutdown and a start. */
const AWAY = new Set(['53300', '57P01', '57P02', '57P03']);

/** Converts any error into a problem; an unexpected error becomes `internal`. */
export function toServiceProblem(error: unknown): ServiceProblem {
  if (error instanceof ServiceProblem) return error;
  if (error instanceof BucketError) return bucketProblem(error);
  const disk = diskFailureOf(error);
  if (disk === 'full') return new ServiceProblem('insufficient_storage', { cause: error });
  if (disk === 'unwritable') {
    return new ServiceProblem('unavailable', { detail: 'the store cannot be written', retryAfter: 60, cause: error });
  }
  if (isAway(error)) {
    return new ServiceProblem('unavailable', { detail: 'the database does not answer', retryAfter: 5, cause: error });
  }
  return new ServiceProblem('internal', { cause: error });
}

function isAway(error: unknown): boolean {
  if (isConnectionFailure(error)) return true;
  return error instanceof DatabaseError && error.code !== undefined && AWAY.has(error.code);
}

/** The S3 client has already retried. */
function bucketProblem(error: BucketError): ServiceProblem {
  if (error.problem === 'full') return new ServiceProblem('insufficient_storage', { cause: error });
  const detail = error.problem === 'unreachable' ? 'the bucket does not answer' : 'the bucket refuses';
  return new ServiceProblem('unavailable', { detail, retryAfter: 60, cause: error });
}
