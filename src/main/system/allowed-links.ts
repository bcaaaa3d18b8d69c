import type { AppState } from '../../ipc/state.ts';

/** Pages that do not belong to the person's own service. */
const PAGES: ReadonlySet<string> = new Set(['https://www.apache.org/licenses/LICENSE-2.0']);

/** Whether the window may have an address opened in the system's browser: a page of the person's own service, or one of ours. */
export function isLinkAllowed(url: string, state: AppState | undefined): boolean {
  if (!isWebAddress(url)) return false;
  const { origin, href, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  const destination = state?.destination;
  const isOwnService =
    destination?.kind === 'service' && isWebAddress(destination.place) && new URL(destination.place).origin === origin;
  return isOwnService || PAGES.has(href);
}

/** What may be handed to a browser at all: other schemes start programs. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
