/**
 * Every failure that a person or a script can meet. The code is stable; the sentence about it belongs to whoever shows
 * it (the CLI, the window). A failure without a code is a bug in Holdfast.
 */
export const ERROR_CODES = [
  // what was asked for
  'usage',
  'set_unknown',
  'set_exists',
  'path_not_found',
  'no_restore_point',
  'time_invalid',
  'not_set_up',
  'already_set_up',
  // sources
  'source_missing',
  'source_unreadable',
  'source_not_mounted',
  'source_empty',
  // keys and sign-in
  'keychain_unavailable',
  'phrase_invalid',
  'phrase_other_account',
  'phrase_needed',
  'passphrase_wrong',
  'password_wrong',
  'code_needed',
  'code_wrong',
  'provider_refused',
  'signed_out',
  'device_refused',
  'clock_wrong',
  'permission_denied',
  // the service
  'service_unreachable',
  'service_broken',
  'service_error',
  'service_busy',
  'service_answer_suspicious',
  'quota_exceeded',
  'retention_refused',
  // storage and disks
  'destination_full',
  'destination_unwritable',
  'destination_missing',
  'target_full',
  'target_unwritable',
  'target_inside_source',
  'target_conflict',
  'home_busy',
  'home_unwritable',
  'home_damaged',
  // data
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
  'file_size_mismatch',
  'tree_invalid',
  'sources_keep_changing',
  'interrupted',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What an error is about, for the sentence: a path, a set, a time, an address, a status … */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(describe(code, details), { cause: options.cause });
    this.code = code;
    this.details = details;
    this.retryable = options.retryable ?? false;
  }
}

export function isHoldfastError(error: unknown, code?: ErrorCode): error is HoldfastError {
  return error instanceof HoldfastError && (code === undefined || error.code === code);
}

/** The `code` of a system error (`ENOENT`, `ENOSPC` …). */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** For logs and for developers; what people read is written in the CLI and in the window. */
function describe(code: ErrorCode, details: ErrorDetails): string {
  const facts = Object.entries(details).filter(([, value]) => value !== undefined);
  return facts.length === 0 ? code : `${code}: ${facts.map(([key, value]) => `${key}=${String(value)}`).join(' ')}`;
}
