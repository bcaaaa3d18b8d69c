/** Longer than any real receiver's URL; further data belongs into the body. */
const LONGEST_URL = 2048;

export type EndpointUrl =
  | { readonly kind: 'valid'; readonly url: URL }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Parses the URL of a receiver by the WHATWG rules, which normalise every spelling of an IPv4 address (decimal, octal,
 * hex, short, full-width digits, trailing dot). Whether the address is permitted is decided
 * at each attempt (guarded-lookup.ts), since names may resolve differently.
 */
export function parseEndpointUrl(text: string): EndpointUrl {
  if (text.length > LONGEST_URL) return invalid(`longer than ${LONGEST_URL} characters`);
  const url = URL.parse(text);
  if (url === null) return invalid('not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return invalid('neither https nor http');
  // Credentials would be visible with the URL; receivers should rely on the signature.
  if (url.username !== '' || url.password !== '') return invalid('carries a user name or a password');
  if (url.hash !== '') return invalid('carries a fragment, which is never sent');
  return { kind: 'valid', url };
}

function invalid(reason: string): EndpointUrl {
  return { kind: 'invalid', reason };
}
