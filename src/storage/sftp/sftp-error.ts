import { HoldfastError } from '../../base/errors/errors.ts';

/** Status codes of SFTP (draft-ietf-secsh-filexfer-13, section 9.1). Servers of version 3 send only the first eight. */
export const STATUS = {
  END: 1,
  NO_SUCH_FILE: 2,
  PERMISSION_DENIED: 3,
  NO_CONNECTION: 6,
  CONNECTION_LOST: 7,
  UNSUPPORTED: 8,
  EXISTS: 11,
  WRITE_PROTECT: 12,
  FULL: 14,
  QUOTA_EXCEEDED: 15,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(STATUS).map(([name, code]) => [code, name]));

/** The connection ended during a call, which may be repeated on another one. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  /** Whether it could not be made, or ended since the server was silent. Otherwise it may have carried bytes until then. */
  readonly isSilence: boolean;

  constructor(message: string, { isSilence = false }: { readonly isSilence?: boolean } = {}) {
    super(message);
    this.isSilence = isSilence;
  }
}

/** The server refused a call. */
export class SftpStatusError extends Error {
  override readonly name = 'SftpStatusError';
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(NAMES.get(status) ?? `status ${status}`, { cause });
    this.status = status;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof SftpStatusError && error.status === STATUS.NO_SUCH_FILE;
}

/** Converts a refused call. Other errors remain as they are. */
export function asStorageError(error: unknown, address: string): unknown {
  if (!(error instanceof SftpStatusError)) return error;
  const details = { directory: address, problem: error.message };
  switch (error.status) {
    case STATUS.FULL:
    case STATUS.QUOTA_EXCEEDED:
      return new HoldfastError('destination_full', details, { cause: error });
    default:
      return new HoldfastError('destination_unwritable', details, { cause: error });
  }
}
