import { OWN_HOST } from './loopback.ts';

/** Returns whether traffic to an address can be read on a network; false for what is no URL. */
export function isUnencrypted(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !OWN_HOST.test(url.hostname);
}
