import { app, protocol, session } from 'electron';
import type { WebContents } from 'electron';
import { answerPreview, PREVIEW_SCHEME } from '../preview/preview-pages.ts';
import type { Previews } from '../preview/previews.ts';
import { answerPageFile } from './page-files.ts';
import { PAGE_ADDRESS, PAGE_ORIGIN, PAGE_SCHEME } from '../page-address.ts';

/** Players ask for parts, and the page of documents fetches from its opaque origin. */
const PREVIEW_PRIVILEGES = { standard: true, secure: true, stream: true, supportFetchAPI: true, corsEnabled: true };

/** Registers the privileges of the schemes of the page and of previews; must run before Electron is ready. */
export function registerSchemes(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, codeCache: true } },
    { scheme: PREVIEW_SCHEME, privileges: PREVIEW_PRIVILEGES },
  ]);
}

/**
 * Restricts every window of this program to files of the page's folder and previews in frames: no network, no other pages, no new windows,
 * no permissions, no downloads.
 */
export function hardenWindows(pageFolder: string, documentPage: string, previews: Previews): void {
  const { defaultSession } = session;
  protocol.handle(PAGE_SCHEME, (request) => answerPageFile(pageFolder, request));
  protocol.handle(PREVIEW_SCHEME, (request) => answerPreview(previews, documentPage, request));
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
    const isAllowedThere = event.isMainFrame ? event.url === PAGE_ADDRESS : isPreview(event.url);
    if (!isAllowedThere) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
}

/** Allows Electron's development tools too, in a checkout only. */
function isAllowed(url: string): boolean {
  return url.startsWith(`${PAGE_ORIGIN}/`) || isPreview(url) || (!app.isPackaged && url.startsWith('devtools://'));
}

function isPreview(url: string): boolean {
  return url.startsWith(`${PREVIEW_SCHEME}://`);
}
