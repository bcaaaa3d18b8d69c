/**
 * Returns whether a browser may be redirected there with a code: to a program on this computer (RFC 8252, 7.3: by address,
 * since `localhost` may resolve elsewhere), or to a page of this service.
 */
export function isAllowedRedirect(target: string, baseUrl: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, hostname, origin, username, password, hash } = new URL(target);
  if (username !== '' || password !== '' || hash !== '') return false;
  if (origin === new URL(baseUrl).origin) return true;
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]');
}
