import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only IPv6 block that is handed out for the public internet (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address, as a resolver or a parsed URL gives it, belongs to the public internet. Not public are: loopback,
 * private, link-local (the clouds' metadata services with it), carrier-grade NAT, unique-local, multicast, unspecified,
 * broadcast, documentation, benchmarking and reserved ranges, and every IPv6 form that carries an IPv4 address (mapped,
 * compatible, translated, NAT64, 6to4, Teredo), whatever the address inside: a receiver that has a public IPv4 address
 * is reached there directly.
 *
 * What is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
