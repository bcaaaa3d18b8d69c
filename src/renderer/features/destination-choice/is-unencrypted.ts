import { LOOPBACK_HOST } from '../../../base/loopback.ts';

/** Returns whether traffic to an address is unencrypted on a network. */
export function isUnencrypted(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname);
}
