import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = readonly [address: Address, bits: number];

/** Parses an address or a CIDR range. Throws `RangeError` for anything else. */
export function parseRange(text: string): AddressRange {
  const [start = '', length, ...rest] = text.split('/');
  const address = parseAddress(start);
  const most = address?.kind() === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!address || rest.length > 0 || !(bits <= most)) throw new RangeError('neither an address nor a range');
  return [address, bits];
}

/**
 * Returns the client's address. `X-Forwarded-For` is trusted only from trusted proxies, and read from its end: the last
 * address that is not a trusted proxy is the client's. The client may have forged anything before it.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string | undefined {
  let client = parseAddress(peer);
  if (!client) return undefined;
  const hops = forwardedFor === null ? [] : forwardedFor.split(',');
  while (hops.length > 0 && isWithin(client, trusted)) {
    const hop = parseAddress(hops.pop()!.trim());
    if (!hop) break;
    client = hop;
  }
  return client.toString();
}

/** Returns the subject of limits: an IPv4 address, or the /64 network of an IPv6 customer. */
export function limitedNetwork(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed || parsed.kind() === 'ipv4') return address;
  const bytes = parsed.toByteArray().map((byte, index) => (index < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

export function isLoopback(address: string | undefined): boolean {
  return parseAddress(address)?.range() === 'loopback';
}

function parseAddress(text: string | undefined): Address | undefined {
  // IPv4 addresses with fewer or octal parts are rejected.
  if (text === undefined || !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) return undefined;
  return ipaddr.process(text);
}

function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
