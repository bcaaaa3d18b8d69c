/** The hosts of URLs that are this computer wherever names are looked up. Those below `localhost` may lead elsewhere. */
export const OWN_HOST = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** Returns whether traffic to an address can be read on a network; false for what is no URL. */
export function isUnencrypted(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !OWN_HOST.test(url.hostname);
}
