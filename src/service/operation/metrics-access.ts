import { createHash, timingSafeEqual } from 'node:crypto';

export interface MetricsRequest {
  readonly authorization: string | undefined;
  /** True if the request comes from this computer. */
  readonly isLocal: boolean;
  /** True if it passed no proxy: behind one, all requests come from the proxy's computer. */
  readonly isDirect: boolean;
  /** The `Host` header. */
  readonly host: string | undefined;
}

/** Returns whether a request may read the metrics: by its bearer token if one is configured, else by its origin. */
export function isScraper(
  { authorization, isLocal, isDirect, host }: MetricsRequest,
  token: string | undefined,
): boolean {
  // A page of another site reaches this computer under its own name (DNS rebinding).
  if (token === undefined) return isLocal && isDirect && isLocalHost(host);
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function isLocalHost(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
