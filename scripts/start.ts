/**
 * `npm start`: the desktop app from this checkout. Builds what is not built yet, says or installs what the system lacks, and
 * where there is no display it runs on one that nobody sees. Words after `--` go to the app.
 */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { isAppCurrent } from './build/app.ts';
import { isBundleCurrent } from './build/is-bundle-current.ts';
import { electronBinary } from './electron/binary.ts';
import { install, missingLibraries, missingScreen } from './electron/libraries.ts';

const root = dirname(import.meta.dirname);
const say = (line: string): void => console.error(line);

try {
  await start();
} catch (error) {
  say(`Holdfast cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const electron = await electronBinary(say);
  buildWhereNeeded();
  const libraries = missingLibraries(electron);
  if (libraries && !install(libraries, say)) throw new Error('Electron lacks libraries.');
  const words = [root, ...process.argv.slice(2)];
  // Chromium's sandbox refuses to be set up by root.
  if (process.getuid?.() === 0) words.unshift('--no-sandbox');
  if (hasDisplay()) return run(electron, words);
  const screen = missingScreen();
  if (screen && !install(screen, say)) throw new Error('there is no display.');
  say('There is no display here: Holdfast runs under Xvfb, where nobody sees its window. Ctrl-C ends it.');
  run('xvfb-run', [
    '--auto-servernum',
    '--server-args=-screen 0 1280x800x24',
    'dbus-run-session',
    '--',
    electron,
    ...words,
  ]);
}

function buildWhereNeeded(): void {
  if (isAppCurrent(join(root, 'dist/app')) && isBundleCurrent()) return;
  say('Building …');
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('it could not be built.');
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
}

/** Runs the app until it ends; a signal to this process is one to the app. */
function run(program: string, words: readonly string[]): void {
  const child = spawn(program, words, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    say(`Holdfast cannot start: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGTERM'];
  });
}
