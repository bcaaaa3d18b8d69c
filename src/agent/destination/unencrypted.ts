import { isOwnHost } from '../../base/loopback.ts';

/** Returns whether traffic to an address can be read on a network. @param address a URL */
export function isUnencrypted(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isOwnHost(hostname);
}
