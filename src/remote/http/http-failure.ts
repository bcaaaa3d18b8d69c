import { systemCodeOf } from '../../base/errors/errors.ts';

/**
 * Reason for a missing response. `unreachable`: the network has no route to the host; `reset`: the connection ended before
 * or within the response; `certificate`: it does not prove the host's identity, so a retry is pointless; `tls`: any other
 * TLS error.
 */
export type HttpFailureKind = 'dns' | 'refused' | 'unreachable' | 'reset' | 'timeout' | 'certificate' | 'tls';

/** No response, or only part of one. The message contains only the origin, since a presigned address is a secret. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: HttpFailureKind;
  /** Scheme, host and port. */
  readonly origin: string;
  /** True if there was a connection, so that the server may have seen the request. */
  readonly connected: boolean;

  constructor(kind: HttpFailureKind, origin: string, options: { connected: boolean; cause?: unknown }) {
    super(`${kind}: ${origin}`, { cause: options.cause });
    this.kind = kind;
    this.origin = origin;
    this.connected = options.connected;
  }

  /** True if a connection broke that may have carried bytes until then, so that the attempt was no waiting. */
  get isBroken(): boolean {
    return this.connected && this.kind !== 'timeout';
  }
}

const KINDS: ReadonlyMap<string, readonly [HttpFailureKind, connected: boolean]> = new Map([
  ['ENOTFOUND', ['dns', false]],
  ['EAI_AGAIN', ['dns', false]],
  ['EAI_FAIL', ['dns', false]],
  ['ECONNREFUSED', ['refused', false]],
  ['EHOSTUNREACH', ['unreachable', false]],
  ['ENETUNREACH', ['unreachable', false]],
  ['ENETDOWN', ['unreachable', false]],
  ['EHOSTDOWN', ['unreachable', false]],
  ['EADDRNOTAVAIL', ['unreachable', false]],
  ['ETIMEDOUT', ['timeout', false]],
  ['UND_ERR_CONNECT_TIMEOUT', ['timeout', false]],
  ['UND_ERR_HEADERS_TIMEOUT', ['timeout', true]],
  ['UND_ERR_BODY_TIMEOUT', ['timeout', true]],
  ['ECONNRESET', ['reset', true]],
  ['ECONNABORTED', ['reset', true]],
  ['EPIPE', ['reset', true]],
  ['UND_ERR_SOCKET', ['reset', true]],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['reset', true]],
  ['UND_ERR_RESPONSE', ['reset', true]],
] as const);

/** OpenSSL's error codes for certificates have no common prefix. */
const CERTIFICATE_CODE = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|EPROTO)/;

/** Converts a network error to an HttpFailure. Other errors are returned unchanged. */
export function failureOf(error: unknown, origin: string): unknown {
  const code = systemCodeOf(error) ?? '';
  const known = KINDS.get(code);
  if (known) return new HttpFailure(known[0], origin, { connected: known[1], cause: error });
  if (CERTIFICATE_CODE.test(code)) return new HttpFailure('certificate', origin, { connected: true, cause: error });
  if (TLS_CODE.test(code)) return new HttpFailure('tls', origin, { connected: true, cause: error });
  // The parser's HPE_… codes: whatever responded is no web server. Its error contains what was read, which may echo a secret.
  if (code.startsWith('HPE_')) return new HttpFailure('reset', origin, { connected: true });
  return error;
}
