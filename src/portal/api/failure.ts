/** The failure of a request. */
export class PortalFailure extends Error {
  override readonly name = 'PortalFailure';
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Code of the problem; `offline` without an answer. */
  readonly code: string;
  readonly detail: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, detail?: string, retryAfter?: number) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

export function asPortalFailure(error: unknown): PortalFailure {
  return error instanceof PortalFailure ? error : new PortalFailure(0, 'internal', String(error));
}
