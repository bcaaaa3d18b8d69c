/** Longer than any real receiver's address; receivers that need more take it from the body. */
const LONGEST_URL = 2048;

export type EndpointUrl =
  | { readonly kind: 'valid'; readonly url: URL }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Reads the address of a receiver by the WHATWG rules, which turn every spelling of an IPv4 address (decimal, octal,
 * hex, short, full-width digits, trailing dot) into the dotted one. Whether the address may be connected to is decided
 * at each try (guarded-lookup.ts), since names move.
 */
export function parseEndpointUrl(text: string): EndpointUrl {
  if (text.length > LONGEST_URL) return invalid(`longer than ${LONGEST_URL} characters`);
  const url = URL.parse(text);
  if (url === null) return invalid('not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return invalid('neither https nor http');
  // Credentials would be shown wherever the address is; the signature is what a receiver should go by.
  if (url.username !== '' || url.password !== '') return invalid('carries a user name or a password');
  if (url.hash !== '') return invalid('carries a fragment, which is never sent');
  return { kind: 'valid', url };
}

function invalid(reason: string): EndpointUrl {
  return { kind: 'invalid', reason };
}
