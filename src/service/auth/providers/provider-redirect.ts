/**
 * Whether a browser may be sent there with a code: to a program that listens on this computer (RFC 8252, 7.3: by address,
 * since `localhost` may be anybody), or to a page of this service itself.
 */
export function isAllowedRedirect(target: string, baseUrl: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, hostname, origin, username, password, hash } = new URL(target);
  if (username !== '' || password !== '' || hash !== '') return false;
  if (origin === new URL(baseUrl).origin) return true;
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]');
}
