/** Returns whether traffic to an address is unencrypted on a network. */
export function isUnencrypted(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
