import { app, protocol, session } from 'electron';
import type { WebContents } from 'electron';
import { answerPageFile, PAGE_ADDRESS, PAGE_ORIGIN, PAGE_SCHEME } from './page-files.ts';

/** Before Electron is ready: what the page's scheme may. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, codeCache: true } },
  ]);
}

/**
 * What any window of this program can do: show files of the page's folder, and nothing else. No network, no other pages,
 * no windows of its own, no permissions, no downloads, no embedded pages.
 */
export function lockDown(pageFolder: string): void {
  const { defaultSession } = session;
  protocol.handle(PAGE_SCHEME, (request) => answerPageFile(pageFolder, request));
  defaultSession.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOwn(url) }));
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

/** Development tools are Electron's own; they are part of a checkout only. */
function isOwn(url: string): boolean {
  return url.startsWith(`${PAGE_ORIGIN}/`) || (!app.isPackaged && url.startsWith('devtools://'));
}
