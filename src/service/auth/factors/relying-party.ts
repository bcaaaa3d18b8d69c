import { isIP } from 'node:net';

/** The service as browsers know it for passkeys. */
export interface RelyingParty {
  /** The domain to which passkeys belong. */
  readonly id: string;
  /** The origin of the page that uses them. */
  readonly origin: string;
}

/**
 * Returns what passkeys at a public address belong to; `undefined` if browsers make none there: they take https, except for `localhost`,
 * and a name in place of an IP address. It never depends on a request, which names any host that it likes.
 */
export function relyingPartyOf(publicUrl: string | undefined): RelyingParty | undefined {
  if (publicUrl === undefined || !URL.canParse(publicUrl)) return undefined;
  const { protocol, hostname, origin } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return protocol === 'https:' || hostname === 'localhost' ? { id: hostname, origin } : undefined;
}
