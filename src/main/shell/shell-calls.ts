import { app, clipboard, dialog, shell } from 'electron';
import type { BrowserWindow } from 'electron';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { agentMethods } from '../../ipc/contract/contract.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { withInheritedUmask } from '../../base/files/owner-only.ts';
import type { Call, Handlers } from '../../base/calls/contract.ts';
import type { shellMethods } from '../../ipc/contract/shell.ts';
import type { AppState } from '../../ipc/state.ts';
import { certificatePage } from '../../strings/certificate-page.ts';
import type { Language } from '../../strings/strings.ts';
import { FULL_DISK_ACCESS_PANE, fullDiskAccess } from '../system/full-disk-access.ts';
import { systemLanguages } from '../system/system-languages.ts';
import { isLinkAllowed } from '../system/allowed-links.ts';
import { canNotify } from '../system/notifications.ts';
import { canSetFileManagers } from '../file-managers/set-file-managers.ts';
import { isTrayAvailable } from '../tray/tray-support.ts';
import { agentProblemReport } from './agent-problem-report.ts';
import { confirmHooks } from './confirm-hooks.ts';
import { printPage } from './print-page.ts';
import { recoveryKitPage } from './recovery-kit.ts';
import { askSavePath } from './ask-save-path.ts';
import { saveFile } from './save-file.ts';

export interface ShellParts {
  readonly agent: Call<typeof agentMethods>;
  readonly restartAgent: () => void;
  /** Shows no longer that the agent was restarted. */
  readonly dismissRestart: () => void;
  readonly state: () => AppState | undefined;
  readonly language: () => Language;
  /**
   * Verifies the person before the phrase is shown, by the system or by the password of the window's lock.
   *
   * @param password of the window's lock, if it was given
   * @returns false when neither is set up, so that nobody was asked
   * @throws HoldfastError `refused`, `lock_*`
   */
  readonly authenticate: (password: string | undefined) => Promise<boolean>;
  /** Returns the window that dialogs belong to, while it is open. */
  readonly window: () => BrowserWindow | undefined;
}

/** Handlers for the calls of the window that the main process performs itself. */
export function shellCalls(parts: ShellParts): Handlers<typeof shellMethods> {
  const { agent } = parts;
  return {
    'shell.choose-folder': (request) => chooseExisting(parts, request, ['openDirectory', 'createDirectory']),
    'shell.choose-file': (request) => chooseExisting(parts, request, ['openFile']),
    'shell.open-link': async ({ url }) => {
      if (!isLinkAllowed(url, parts.state())) throw new HoldfastError('refused', { problem: 'link' });
      await withInheritedUmask(() => shell.openExternal(url));
      return {};
    },
    'shell.show-path': ({ path }) => {
      // File managers show nothing at all when the path is gone.
      let existing = path;
      while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
      withInheritedUmask(() => shell.showItemInFolder(existing));
      return {};
    },
    'shell.copy': async ({ text }) => {
      await clipboard.writeText(text);
      return {};
    },
    'shell.save-kit': async ({ password }) => {
      if (parts.state()?.needs.some(({ kind }) => kind === 'phrase-unconfirmed') !== true) {
        await parts.authenticate(password);
      }
      const { shell: words } = parts.language().strings;
      const path = await chooseSavePath(parts, words.dialogs.saveKit, words.dialogs.kitFile, 'pdf');
      if (path === undefined) return {};
      const page = recoveryKitPage({ ...(await agent('phrase.words', {})), printedAt: Date.now() }, parts.language());
      return saveFile(path, await printPage(page));
    },
    'shell.reveal-phrase': async ({ password }) => {
      const isAsked = await parts.authenticate(password);
      const { words } = await agent('phrase.words', {});
      return { words, isAsked };
    },
    'shell.restart-agent': () => {
      parts.restartAgent();
      return {};
    },
    'shell.dismiss-restart': () => {
      parts.dismissRestart();
      return {};
    },
    'shell.save-diagnostics': async () => {
      const { dialogs } = parts.language().strings.shell;
      const path = await chooseSavePath(parts, dialogs.saveDiagnostics, dialogs.diagnosticsFile, 'txt');
      if (path === undefined) return {};
      const state = parts.state();
      const text = state?.trouble
        ? agentProblemReport(state.trouble, state)
        : (await agent('diagnostics.text', {})).text;
      return saveFile(path, text);
    },
    'shell.save-certificate': async () => {
      const language = parts.language();
      const { dialogs } = language.strings.shell;
      const path = await chooseSavePath(parts, dialogs.saveCertificate, dialogs.certificateFile, 'pdf');
      if (path === undefined) return {};
      return saveFile(path, await printPage(certificatePage(await agent('drill.certificate', {}), language)));
    },
    'shell.save-hooks': async (asked) => {
      if (!(await confirmHooks(asked, parts.language(), parts.window()))) return { isSaved: false };
      await agent('sets.hooks.save', asked);
      return { isSaved: true };
    },
    'shell.disk-access': async () => ({ access: await fullDiskAccess() }),
    'shell.open-disk-access': async () => {
      if (process.platform !== 'darwin') throw new HoldfastError('refused', { problem: 'link' });
      await shell.openExternal(FULL_DISK_ACCESS_PANE);
      return {};
    },
    'shell.abilities': async () => ({
      startAtLogin: ['linux', 'darwin', 'win32'].includes(process.platform),
      fileManagers: canSetFileManagers(),
      tray: await isTrayAvailable(),
      notifications: canNotify(),
      platform: process.platform,
      locale: systemLanguages(app)[0]!,
    }),
  };
}

/** Shows the system's open dialog; `path` is missing when the person cancels it. */
async function chooseExisting(
  parts: ShellParts,
  { title, from }: { readonly title: string; readonly from?: string | undefined },
  kinds: readonly ('openDirectory' | 'createDirectory' | 'openFile')[],
): Promise<{ path?: string }> {
  const options = {
    title,
    ...(from !== undefined && { defaultPath: from }),
    properties: [...kinds, 'showHiddenFiles' as const],
  };
  const window = parts.window();
  const { filePaths } = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options));
  return filePaths[0] === undefined ? {} : { path: filePaths[0] };
}

/** Shows the system's save dialog; returns `undefined` when the person cancels it. */
function chooseSavePath(
  { window }: ShellParts,
  title: string,
  name: string,
  extension: string,
): Promise<string | undefined> {
  return askSavePath(window(), {
    title,
    defaultPath: join(app.getPath('documents'), `${name}.${extension}`),
    filters: [{ name: extension.toUpperCase(), extensions: [extension] }],
  });
}
