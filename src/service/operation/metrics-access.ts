import { createHash, timingSafeEqual } from 'node:crypto';

export interface MetricsRequest {
  readonly authorization: string | undefined;
  /** True if the request comes from this computer. */
  readonly isLocal: boolean;
  /** True if it passed no proxy: behind one, all requests come from the proxy's computer. */
  readonly isDirect: boolean;
}

/** Returns whether a request may read the metrics: by its bearer token if one is configured, else by its origin. */
export function isScraper({ authorization, isLocal, isDirect }: MetricsRequest, token: string | undefined): boolean {
  if (token === undefined) return isLocal && isDirect;
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
