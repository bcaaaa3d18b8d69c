/** The hosts of URLs that are this computer by their name alone: nothing is looked up. */
export const LOOPBACK_HOST = /^(localhost|.+\.localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** Returns whether a host is this computer also where names are looked up: those below `localhost` may lead elsewhere. */
export function isOwnHost(host: string): boolean {
  return LOOPBACK_HOST.test(host) && !host.endsWith('.localhost');
}
