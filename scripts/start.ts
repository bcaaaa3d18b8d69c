/**
 * `npm start`: runs the desktop app from this checkout. Builds what is missing, names or installs missing libraries, and
 * uses a virtual screen if there is no display. Arguments after `--` go to the app.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
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
  // Chromium's sandbox does not work for root.
  if (process.getuid?.() === 0) words.unshift('--no-sandbox');
  if (hasDisplay()) return run(electron, words, process.env);
  const screen = missingScreen();
  if (screen && !install(screen, say)) throw new Error('there is no display.');
  say('There is no display here: Holdfast runs under Xvfb, where nobody sees its window. Ctrl-C ends it.');
  const { display, stop } = await startScreen();
  // Hides messages about missing buses and graphics cards.
  run(electron, ['--log-level=3', ...words], { ...process.env, DISPLAY: display }, stop);
}

/** Starts a virtual screen. Ctrl-C does not reach it, since the app needs it to exit in order. */
async function startScreen(): Promise<{ readonly display: string; readonly stop: () => void }> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: server.stdio[3] as Readable });
  const [number] = (await Promise.race([once(lines, 'line'), once(server, 'exit')])) as [unknown];
  if (typeof number !== 'string') throw new Error('Xvfb does not start.');
  lines.close();
  server.unref();
  return { display: `:${number}`, stop: () => void server.kill() };
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

/** Runs the app until it exits, and forwards signals to it. */
function run(
  program: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  onEnd: () => void = () => undefined,
): void {
  const child = spawn(program, words, { stdio: 'inherit', env: environment });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    say(`Holdfast cannot start: ${error.message}`);
    onEnd();
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    onEnd();
    process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']);
  });
}
