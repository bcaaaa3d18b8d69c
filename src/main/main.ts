import { app } from 'electron';
import { createForOwnerOnly } from '../base/files/owner-only.ts';
import { preventCoreFiles } from '../base/no-core-files.ts';
import { findAppPaths, findCommandLineFolder, findProgramPaths } from './app-paths.ts';
import { COMMAND_LINE, runCommandLine } from './agent/run-command-line.ts';
import { readPackageSettings } from './package-settings.ts';
import { Program } from './program.ts';
import { leaveImage } from './system/leave-image.ts';
import { HIDDEN } from './system/login-item.ts';
import { registerSchemes } from './window/harden-windows.ts';

/** `appId` of electron-builder.yml. */
const APP_ID = 'org.holdfast.Holdfast';

createForOwnerOnly();
preventCoreFiles();
leaveImage(process.env);
app.setName('Holdfast');
// Windows shows notifications and groups windows by it; the installer gives the shortcut the same.
if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
if (app.commandLine.hasSwitch(COMMAND_LINE)) {
  // Chromium writes a state that nobody reads, by default among the person's settings.
  app.setPath('userData', findCommandLineFolder());
  runCommandLine(findProgramPaths());
} else startApp();

function startApp(): void {
  const paths = findAppPaths(process.env);
  // Electron's own files are in the home too, and so is its single-instance lock.
  app.setPath('userData', paths.windowFolder);
  registerSchemes();
  // Otherwise Chromium stores a key for its cookies in the system's keychain, and waits for a password to open it. The
  // window has no cookies, and the agent handles the keys of the backups.
  app.commandLine.appendSwitch('password-store', 'basic');
  app.commandLine.appendSwitch('use-mock-keychain');
  // A port for DevTools would give every program of this computer the window's calls.
  if (app.isPackaged && readPackageSettings().allowsDevTools !== true) {
    for (const port of ['remote-debugging-port', 'remote-debugging-pipe']) app.commandLine.removeSwitch(port);
  }
  // The sandbox covers every process, except when started as root, which has none (scripts/start.ts).
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

  // Chromium changes the order of the words that the event passes.
  if (app.requestSingleInstanceLock({ words: process.argv })) {
    const program = new Program(paths);
    app.on('second-instance', (_event, _words, _folder, data) => {
      const words = wordsOf(data);
      if (!words.includes(HIDDEN)) program.showFor(words);
    });
    app.on('activate', () => program.show());
    app.on('before-quit', (event) => {
      event.preventDefault();
      void program.quit();
    });
    // Closing the window does not end the program.
    app.on('window-all-closed', () => undefined);
    app.once('ready', () => {
      // Ends without confirmation. Before it is ready, Electron handles these signals itself, like a quit by a person.
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void program.end());
      program.start(process.argv);
    });
  } else {
    app.exit(0);
  }
}

/** The other process may be of another version of the program. */
function wordsOf(data: unknown): readonly string[] {
  const { words } = (data ?? {}) as { readonly words?: unknown };
  return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
}
