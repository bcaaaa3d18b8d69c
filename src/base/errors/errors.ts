import type { ErrorDetails } from './error-codes.ts';

export type ErrorCode = keyof ErrorDetails;

export interface ErrorOptions {
  readonly cause?: unknown;
  /** True if the same call may succeed later without anybody changing anything. */
  readonly retryable?: boolean;
}

/** The details may be left out if none of them is required. */
type Arguments<Code extends ErrorCode> =
  Record<string, never> extends ErrorDetails[Code]
    ? [details?: ErrorDetails[Code], options?: ErrorOptions]
    : [details: ErrorDetails[Code], options?: ErrorOptions];

/** A failure that is expected. Its sentence belongs to the program that shows it: the CLI or the window. */
export class HoldfastError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'HoldfastError';
  readonly code: Code;
  readonly details: ErrorDetails[Code];
  readonly retryable: boolean;

  constructor(code: Code, ...[details, options = {}]: Arguments<Code>) {
    super(describe(code, details ?? {}), { cause: options.cause });
    this.code = code;
    this.details = details ?? ({} as ErrorDetails[Code]);
    this.retryable = options.retryable ?? false;
  }
}

export function isHoldfastError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is HoldfastError<Code> {
  return error instanceof HoldfastError && (code === undefined || error.code === code);
}

/** An error about the request. */
export function wrongUsage(details: ErrorDetails['usage'], options: ErrorOptions = {}): HoldfastError<'usage'> {
  return new HoldfastError('usage', details, options);
}

/** The `code` of a system error (`ENOENT`, `ENOSPC` …). */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  if (error.code === 'ERR_WORKER_INIT_FAILED') return /: (E[A-Z]+)$/.exec(error.message)?.[1] ?? error.code;
  return UNNAMED_CODES.get(unnamedNumber(error, error.code) ?? 0) ?? error.code;
}

/** The number of an error that Node has no name for. Its calls that wait for the system say so in other words than those that do not. */
function unnamedNumber(error: Error, code: string): number | undefined {
  if (code === 'UNKNOWN') return 'errno' in error && typeof error.errno === 'number' ? -error.errno : undefined;
  const number = /^Unknown system error -(\d+)$/.exec(code)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** By the numbers of Linux and of macOS. A full quota is one of them. */
const UNNAMED_CODES: ReadonlyMap<number, string> = new Map([
  [122, 'EDQUOT'],
  [69, 'EDQUOT'],
  [116, 'ESTALE'],
  [70, 'ESTALE'],
  [123, 'ENOMEDIUM'],
]);

/** Written for logs and developers. */
function describe(code: ErrorCode, details: object): string {
  const facts = Object.entries(details).filter(([, value]) => value !== undefined);
  return facts.length === 0 ? code : `${code}: ${facts.map(([key, value]) => `${key}=${String(value)}`).join(' ')}`;
}
