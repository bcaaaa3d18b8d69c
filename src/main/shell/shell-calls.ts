import { app, clipboard, dialog, shell } from 'electron';
import type { BrowserWindow } from 'electron';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { agentMethods } from '../../ipc/contract.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import type { Call, Handlers } from '../../base/calls/method.ts';
import type { shellMethods } from '../../ipc/shell.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Language } from '../../strings/strings.ts';
import { isLinkAllowed } from '../system/links.ts';
import { canNotify } from '../system/notices.ts';
import { hasTray } from '../tray/has-tray.ts';
import { writeWholeFile } from '../system/whole-file.ts';
import { troubleText } from './trouble-text.ts';
import { printPage } from './print-kit.ts';
import { recoveryKitPage } from './recovery-kit.ts';

export interface ShellParts {
  readonly agent: Call<typeof agentMethods>;
  readonly restartAgent: () => void;
  readonly state: () => AppState | undefined;
  readonly language: () => Language;
  /**
   * Makes sure, as far as it can, that whoever wants to see the phrase is the one who may; answers whether it could.
   *
   * @param password of the window's lock, where it was given
   * @throws HoldfastError `refused`, `lock_*`
   */
  readonly askWhoIsThere: (password: string | undefined) => Promise<boolean>;
  /** The window that dialogs belong to, while there is one. */
  readonly window: () => BrowserWindow | undefined;
}

/** What the main process does for the window by itself. */
export function shellCalls(parts: ShellParts): Handlers<typeof shellMethods> {
  const { agent } = parts;
  return {
    'shell.choose-folder': async ({ title, from }) => {
      const options = {
        title,
        ...(from !== undefined && { defaultPath: from }),
        properties: ['openDirectory', 'createDirectory', 'showHiddenFiles'] as ('openDirectory' | 'createDirectory')[],
      };
      const window = parts.window();
      const { filePaths } = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options));
      return filePaths[0] === undefined ? {} : { path: filePaths[0] };
    },
    'shell.open-link': async ({ url }) => {
      if (!isLinkAllowed(url, parts.state())) throw new HoldfastError('refused', { problem: 'link' });
      await shell.openExternal(url);
      return {};
    },
    'shell.show-path': ({ path }) => {
      // A file manager that is asked for something that is gone shows nothing at all.
      let there = path;
      while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
      shell.showItemInFolder(there);
      return {};
    },
    'shell.copy': async ({ text }) => {
      await clipboard.writeText(text);
      return {};
    },
    'shell.save-kit': async ({ password }) => {
      if (parts.state()?.needs.some(({ kind }) => kind === 'phrase-unconfirmed') !== true) {
        await parts.askWhoIsThere(password);
      }
      const { shell: words } = parts.language().strings;
      const path = await askWhere(parts, words.dialogs.saveKit, words.dialogs.kitFile, 'pdf');
      if (path === undefined) return {};
      const page = recoveryKitPage({ ...(await agent('phrase.words', {})), printedAt: Date.now() }, parts.language());
      return save(path, await printPage(page));
    },
    'shell.reveal-phrase': async ({ password }) => {
      const isAsked = await parts.askWhoIsThere(password);
      const { words } = await agent('phrase.words', {});
      return { words, isAsked };
    },
    'shell.restart-agent': () => {
      parts.restartAgent();
      return {};
    },
    'shell.save-diagnostics': async () => {
      const { dialogs } = parts.language().strings.shell;
      const path = await askWhere(parts, dialogs.saveDiagnostics, dialogs.diagnosticsFile, 'txt');
      if (path === undefined) return {};
      const state = parts.state();
      const text = state?.trouble ? troubleText(state.trouble, state) : (await agent('diagnostics.text', {})).text;
      return save(path, text);
    },
    'shell.abilities': async () => ({
      startAtLogin: ['linux', 'darwin', 'win32'].includes(process.platform),
      tray: await hasTray(),
      notifications: canNotify(),
      platform: process.platform,
      locale: app.getPreferredSystemLanguages()[0] ?? app.getLocale(),
    }),
  };
}

/** Asks in the system's dialog; nothing where the person gave it up. */
async function askWhere(
  { window }: ShellParts,
  title: string,
  name: string,
  extension: string,
): Promise<string | undefined> {
  const options = {
    title,
    defaultPath: join(app.getPath('documents'), `${name}.${extension}`),
    filters: [{ name: extension.toUpperCase(), extensions: [extension] }],
  };
  const parent = window();
  const { canceled, filePath } = await (parent
    ? dialog.showSaveDialog(parent, options)
    : dialog.showSaveDialog(options));
  return canceled || filePath === '' ? undefined : filePath;
}

function save(path: string, content: string | Uint8Array): { path: string } {
  try {
    writeWholeFile(path, content);
  } catch (error) {
    const problem = systemCodeOf(error) ?? 'unknown';
    throw new HoldfastError(problem === 'ENOSPC' ? 'target_full' : 'target_unwritable', { target: path, problem });
  }
  return { path };
}
