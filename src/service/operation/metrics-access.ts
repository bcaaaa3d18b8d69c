import { createHash, timingSafeEqual } from 'node:crypto';

export interface MetricsRequest {
  readonly authorization: string | undefined;
  /** Whether it comes from the computer itself. */
  readonly isLocal: boolean;
  /** Whether no proxy passed it on: behind one, everybody comes from the proxy's computer. */
  readonly isDirect: boolean;
}

/** Whether a request may see the metrics: by its bearer token where there is one, else by where it comes from. */
export function isScraper({ authorization, isLocal, isDirect }: MetricsRequest, token: string | undefined): boolean {
  if (token === undefined) return isLocal && isDirect;
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
