import { systemCodeOf } from '../../../base/errors.ts';

/**
 * Why no answer came. `unreachable` is a network without a way to the host; `reset` a connection that ended early, before
 * or in the middle of the answer; `certificate` one that does not prove who the host is, which no other try will mend;
 * `tls` everything else that can go wrong with TLS.
 */
export type HttpFailureKind = 'dns' | 'refused' | 'unreachable' | 'reset' | 'timeout' | 'certificate' | 'tls';

/** No answer, or only a part of one. The text names the origin alone: the query of a presigned address is a secret. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: HttpFailureKind;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Whether a connection stood, so that the other side may have seen the request. */
  readonly connected: boolean;

  constructor(kind: HttpFailureKind, origin: string, options: { connected: boolean; cause?: unknown }) {
    super(`${kind}: ${origin}`, { cause: options.cause });
    this.kind = kind;
    this.origin = origin;
    this.connected = options.connected;
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

/** OpenSSL's verdicts on certificates have codes without a common prefix. */
const CERTIFICATE_CODE = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|EPROTO)/;

/** An error of the network as an HttpFailure; anything else as it is. */
export function failureOf(error: unknown, origin: string): unknown {
  const code = systemCodeOf(error) ?? '';
  const known = KINDS.get(code);
  if (known) return new HttpFailure(known[0], origin, { connected: known[1], cause: error });
  if (CERTIFICATE_CODE.test(code)) return new HttpFailure('certificate', origin, { connected: true, cause: error });
  if (TLS_CODE.test(code)) return new HttpFailure('tls', origin, { connected: true, cause: error });
  // Answers that are no HTTP (HPE_… of the parser) come from something that is no web server.
  if (code.startsWith('HPE_')) return new HttpFailure('reset', origin, { connected: true, cause: error });
  return error;
}
