import type { AppState } from '../../ipc/state.ts';

/** Allowed pages outside of the person's own service. */
const PAGES: ReadonlySet<string> = new Set([
  'https://www.apache.org/licenses/LICENSE-2.0',
  'https://rclone.org/install/',
]);

/** Returns whether the window may open an address in the system's browser: a page of the person's service, or one of `PAGES`. */
export function isLinkAllowed(url: string, state: AppState | undefined): boolean {
  if (!isWebAddress(url)) return false;
  const { origin, href, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  const destination = state?.destination;
  const isOwnService =
    destination?.kind === 'service' &&
    isWebAddress(destination.location) &&
    new URL(destination.location).origin === origin;
  return isOwnService || PAGES.has(href);
}

/** Returns whether an address may be passed to a browser at all; other schemes would start programs. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
