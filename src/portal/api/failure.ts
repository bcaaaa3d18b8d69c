/** Why the service did not do what was asked. */
export class PortalFailure extends Error {
  override readonly name = 'PortalFailure';
  /** 0 where there was no answer. */
  readonly status: number;
  /** The stable code of the problem, `offline` without an answer. */
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
