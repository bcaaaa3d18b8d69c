import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only IPv6 block assigned to the public internet (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether an address from a resolver or a parsed URL is public. Not public are: loopback,
 * private, link-local (including cloud metadata services), carrier-grade NAT, unique-local, multicast, unspecified,
 * broadcast, documentation, benchmarking and reserved ranges, and every IPv6 form that carries an IPv4 address (mapped,
 * compatible, translated, NAT64, 6to4, Teredo), whatever the address inside: a receiver that has a public IPv4 address
 * is reached there directly.
 *
 * Anything that is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
