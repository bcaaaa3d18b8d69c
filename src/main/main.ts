import { app } from 'electron';
import { findPlaces } from './app-paths.ts';
import { Program } from './program.ts';
import { HIDDEN } from './system/login-item.ts';
import { registerPageScheme } from './window/harden-windows.ts';

app.setName('Holdfast');
const places = findPlaces(process.env);
// Everything of Electron's lies below the home too, and so does the lock of a single instance.
app.setPath('userData', places.windowFolder);
registerPageScheme();
// Chromium would keep a key for its cookies in the system's keychain, and wait for a password to open it. The window has
// no cookies, and the agent sees to the keys that count.
app.commandLine.appendSwitch('password-store', 'basic');
app.commandLine.appendSwitch('use-mock-keychain');
// For every process, unless it was started as root, which can have none (scripts/start.ts).
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

if (app.requestSingleInstanceLock()) {
  const program = new Program(places);
  app.on('second-instance', (_event, words) => {
    if (!words.includes(HIDDEN)) program.show();
  });
  app.on('activate', () => program.show());
  app.on('before-quit', (event) => {
    event.preventDefault();
    void program.quit();
  });
  // Closing the window does not end the program.
  app.on('window-all-closed', () => undefined);
  app.once('ready', () => {
    // Nobody is there to be asked. Electron takes the signals for itself before it is ready, as if a person had quit.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void program.end());
    program.start(!process.argv.includes(HIDDEN));
  });
} else {
  app.exit(0);
}
