import { app, protocol, session } from 'electron';
import type { WebContents } from 'electron';
import { answerPageFile, PAGE_ADDRESS, PAGE_ORIGIN, PAGE_SCHEME } from './page-files.ts';

/** Registers the privileges of the page's scheme; must run before Electron is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, codeCache: true } },
  ]);
}

/**
 * Restricts every window of this program to files of the page's folder: no network, no other pages, no new windows, no
 * permissions, no downloads, no embedded pages.
 */
export function hardenWindows(pageFolder: string): void {
  const { defaultSession } = session;
  protocol.handle(PAGE_SCHEME, (request) => answerPageFile(pageFolder, request));
  defaultSession.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isAllowed(url) }));
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.setDevicePermissionHandler(() => false);
  defaultSession.on('will-download', (event) => event.preventDefault());
  defaultSession.setSpellCheckerEnabled(false);
  app.on('web-contents-created', (_event, contents) => restrain(contents));
}

function restrain(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-navigate', (event) => {
    if (event.url !== PAGE_ADDRESS) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || event.url !== PAGE_ADDRESS) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
}

/** Allows Electron's development tools too, in a checkout only. */
function isAllowed(url: string): boolean {
  return url.startsWith(`${PAGE_ORIGIN}/`) || (!app.isPackaged && url.startsWith('devtools://'));
}
