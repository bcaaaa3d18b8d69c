import { spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright';
import { ELECTRON_CHOICE_VARIABLE, electronBinary } from '../../scripts/electron/binary.ts';
import { missingLibraries } from '../../scripts/electron/libraries.ts';
import { playwright } from '../helpers/browser/playwright.ts';
import { builtApp } from './built-app.ts';
import { Screen } from './screen.ts';

/** The Electron that runs the app; `undefined` if this machine has none, lacks its libraries or has no Xvfb. */
export const ELECTRON = await findElectron();

async function findElectron(): Promise<string | undefined> {
  if (process.platform !== 'linux' || spawnSync('Xvfb', ['-help']).error) return undefined;
  try {
    const electron = await electronBinary(() => undefined, {
      [ELECTRON_CHOICE_VARIABLE]: 'registry-copy',
      ...process.env,
    });
    return missingLibraries(electron) ? undefined : electron;
  } catch {
    return undefined;
  }
}

/** Timeout for starting and ending the app. */
const LAUNCH_MS = 70_000;
const END_MS = 60_000;

export interface FixtureOptions {
  /** The folder of an earlier instance; a new one by default. */
  readonly folder?: string;
  /** The Electron to start instead of `ELECTRON`. */
  readonly electron?: string;
  /** The app to start instead of this checkout's. */
  readonly program?: string;
  /** An existing display; a new one by default. */
  readonly display?: string;
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** BCP 47; British English by default. */
  readonly locale?: string;
}

/** The real app with its own home and screen. */
export class ElectronFixture {
  readonly app: ElectronApplication;
  /** `HOLDFAST_HOME`. */
  readonly home: string;
  /** `HOME` of the person, outside of Holdfast's. */
  readonly folder: string;
  readonly display: string;
  readonly #screen: Screen | undefined;
  readonly #output: string[];
  /** Kept, since Playwright forgets it at its end. */
  readonly #program: ChildProcess;

  private constructor(parts: {
    app: ElectronApplication;
    folder: string;
    display: string;
    screen: Screen | undefined;
    output: string[];
  }) {
    this.app = parts.app;
    this.folder = parts.folder;
    this.home = join(parts.folder, 'holdfast');
    this.display = parts.display;
    this.#screen = parts.screen;
    this.#output = parts.output;
    this.#program = parts.app.process();
  }

  static async open(options: FixtureOptions = {}): Promise<ElectronFixture> {
    const program = options.program ?? (await builtApp());
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'holdfast-app-'));
    const screen = options.display === undefined ? await Screen.start() : undefined;
    const display = options.display ?? screen!.display;
    mkdirSync(join(folder, 'runtime'), { recursive: true, mode: 0o700 });
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    // Xvfb has no graphics card, and the GPU process would emulate one at several times the cost.
    const drawing = ['--disable-gpu'];
    const app = await launch(options.electron ?? ELECTRON!, {
      args: [...sandbox, ...drawing, `--lang=${options.locale ?? 'en-GB'}`, program, ...(options.words ?? [])],
      // Follows the system and the preference, not Playwright's default.
      colorScheme: null,
      env: { ...testEnvironment(folder, display, options.locale ?? 'en-GB'), ...options.environment },
    });
    const output: string[] = [];
    for (const stream of [app.process().stdout, app.process().stderr]) {
      stream?.on('data', (text: Buffer) => output.push(String(text)));
    }
    return new ElectronFixture({ app, folder, display, screen, output });
  }

  /** Waits for the window with its page. */
  async window(): Promise<Page> {
    const page = this.app.windows()[0] ?? (await this.app.firstWindow());
    await page.waitForLoadState();
    return page;
  }

  /** Output of the app and its processes, for debugging. */
  get output(): string {
    return this.#output.join('');
  }

  /** Calls a method as the page does. Returns the unchecked answer. */
  async ask(name: string, input: unknown = {}): Promise<unknown> {
    const page = await this.window();
    return page.evaluate(
      ([method, value]) =>
        (
          globalThis as unknown as { holdfastPort: { call: (name: unknown, input: unknown) => Promise<unknown> } }
        ).holdfastPort.call(method, value),
      [name, input] as const,
    );
  }

  /** Kills the app as the system does. Its home is kept for another instance. */
  async end(): Promise<void> {
    const program = this.#program;
    if (program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, 'exit');
    const limit = setTimeout(() => program.kill('SIGKILL'), END_MS);
    program.kill('SIGTERM');
    await ended;
    clearTimeout(limit);
    if (program.signalCode === 'SIGKILL') throw new Error(`the program did not end\n${this.output}`);
  }

  async close(): Promise<void> {
    await this.end();
    await this.#screen?.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Starts an app under Playwright. Without a path of Electron, it holds the app until it is connected: with one, it may wait for ever for a window
 * that opens meanwhile.
 *
 * @param electron the same for all apps of a process
 */
async function launch(
  electron: string,
  options: Omit<NonNullable<Parameters<typeof playwright.launchElectron>[0]>, 'executablePath' | 'timeout'>,
): Promise<ElectronApplication> {
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] = dirname(electron);
  const app = await playwright.launchElectron({ ...options, timeout: LAUNCH_MS });
  const { spawnfile } = app.process();
  if (spawnfile !== electron) throw new Error(`${spawnfile} was started instead of ${electron}`);
  return app;
}

/** An environment without the developer's folders and session bus. */
export function testEnvironment(folder: string, display: string, locale: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    HOLDFAST_HOME: join(folder, 'holdfast'),
    DISPLAY: display,
    LANG: `${locale.replace('-', '_')}.UTF-8`,
    LANGUAGE: locale.replace('-', '_'),
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_CACHE_HOME: join(folder, '.cache'),
    XDG_DATA_HOME: join(folder, '.local/share'),
    XDG_RUNTIME_DIR: join(folder, 'runtime'),
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus',
    NO_AT_BRIDGE: '1',
  };
}
