import type { ErrorDetails } from './error-codes.ts';
import { HoldfastError, isHoldfastError, systemCodeOf, type ErrorCode } from './errors.ts';

/** A `HoldfastError` as a plain value: it crosses process borders and is stored. */
export type Failure = {
  readonly [Code in ErrorCode]: {
    readonly code: Code;
    readonly details: ErrorDetails[Code];
    readonly retryable?: true;
  };
}[ErrorCode];

/** The failure that stands for a bug, whose error was written to stderr. */
export const INTERNAL: Failure = { code: 'internal', details: {} };

/** Codes of the system and of SQLite that are no bugs, wherever they occur. */
const SYSTEM_PROBLEMS = new Map<string, ErrorDetails['system_failed']['problem']>([
  ...['ENOSPC', 'EDQUOT'].map((code) => [code, 'full'] as const),
  ...['EIO', 'ENXIO', 'ENODEV', 'ENOMEDIUM', 'ESTALE', 'EROFS'].map((code) => [code, 'disk'] as const),
  ...['ENOMEM', 'SQLITE_NOMEM', 'SQLITE_IOERR_NOMEM'].map((code) => [code, 'memory'] as const),
  ...['EMFILE', 'ENFILE'].map((code) => [code, 'files'] as const),
]);

/** The state of a disk that a code of the system or of SQLite stands for. SQLite does not say whether a disk is full or fails. */
export type DiskProblem = 'full' | 'failing' | 'full-or-failing';

/** Returns `undefined` for other problems, such as missing permissions. */
export function diskProblemOf(code: string | undefined): DiskProblem | undefined {
  if (code === undefined) return undefined;
  if (code === 'SQLITE_FULL') return 'full';
  if (code.startsWith('SQLITE_IOERR')) return 'full-or-failing';
  const problem = code === 'EROFS' ? undefined : SYSTEM_PROBLEMS.get(code);
  if (problem === 'full') return 'full';
  return problem === 'disk' ? 'failing' : undefined;
}

/** Returns `undefined` for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (isHoldfastError(error)) {
    const { code, details, retryable } = error;
    const shortage = shortageOf(details);
    if (shortage) return { code: 'system_failed', details: shortage };
    return { code, details, ...(retryable && { retryable }) } as Failure;
  }
  const code = systemCodeOf(error);
  if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT')) {
    return { code: 'home_damaged', details: { problem: code } };
  }
  const problem = SYSTEM_PROBLEMS.get(code ?? '');
  if (problem && code !== undefined) {
    return { code: 'system_failed', details: { problem, path: pathOf(error), system: code } };
  }
  // This process writes no databases but those of its home.
  if (
    code === 'SQLITE_FULL' ||
    code === 'SQLITE_READONLY' ||
    code === 'SQLITE_CANTOPEN' ||
    code?.startsWith('SQLITE_IOERR')
  ) {
    return { code: 'home_unwritable', details: { problem: code } };
  }
  return undefined;
}

/** Returns the shortage of this computer that met a file or a folder: nothing is wrong with that place. */
function shortageOf(details: object): ErrorDetails['system_failed'] | undefined {
  const { problem, reason, directory, file, target, path } = details as Readonly<Record<string, string | undefined>>;
  for (const system of [problem, reason]) {
    const shortage = SYSTEM_PROBLEMS.get(system ?? '');
    if (system === undefined || (shortage !== 'memory' && shortage !== 'files')) continue;
    return { problem: shortage, system, path: directory ?? file ?? target ?? path };
  }
  return undefined;
}

/** The reverse of `failureOf`. */
export function errorOf({ code, details, retryable }: Failure): HoldfastError {
  return new HoldfastError<ErrorCode>(code, details, { retryable: retryable ?? false });
}

/** Returns the path of a failed system call. */
function pathOf(error: unknown): string | undefined {
  const path: unknown = error instanceof Error && 'path' in error ? error.path : undefined;
  return typeof path === 'string' ? path : undefined;
}
