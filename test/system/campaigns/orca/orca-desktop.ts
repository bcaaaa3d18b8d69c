import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Screen } from '../../../app/screen.ts';

const PROGRAMS = ['orca', 'Xvfb', 'dbus-daemon', 'openbox', 'xdotool', 'setpriv'];
const REGISTRY = '/usr/libexec/at-spi-bus-launcher';
const CUSTOMISATIONS = join(import.meta.dirname, 'spoken.py');

interface Utterance {
  readonly at: number;
  readonly kind: 'speech' | 'stop';
  readonly text: string;
}

/** A screen with a window manager, a session bus, and Orca, whose speech is text. Nobody can see it: programs are operated by keys. */
export class OrcaDesktop implements AsyncDisposable {
  readonly display: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #spoken: string;
  readonly #log: number;
  readonly #parts: { readonly stop: () => Promise<void> }[] = [];

  private constructor(display: string, folder: string, language: string) {
    this.display = display;
    this.#spoken = join(folder, 'spoken.jsonl');
    this.#log = openSync(join(folder, 'desktop.log'), 'a');
    this.#environment = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(folder, 'reader'),
      XDG_RUNTIME_DIR: join(folder, 'runtime'),
      XDG_DATA_HOME: join(folder, 'reader/.local/share'),
      XDG_CONFIG_HOME: join(folder, 'reader/.config'),
      XDG_CURRENT_DESKTOP: 'GNOME',
      DISPLAY: display,
      LANG: 'C.UTF-8',
      LANGUAGE: language,
      HOLDFAST_SPOKEN: this.#spoken,
    };
  }

  /** Says what is missing for a desktop; `undefined` if nothing is. */
  static get missing(): string | undefined {
    const missing = PROGRAMS.filter((program) => spawnSync('which', [program]).status !== 0);
    if (!existsSync(REGISTRY)) missing.push(REGISTRY);
    return missing.length === 0 ? undefined : missing.join(', ');
  }

  /** Address of the session bus, for the programs on this desktop. */
  get bus(): string {
    return this.#environment['DBUS_SESSION_BUS_ADDRESS']!;
  }

  /** @param language of what Orca says by itself */
  static async start(folder: string, language = 'en'): Promise<OrcaDesktop> {
    const screen = await Screen.start({ width: 1280, height: 900 });
    const desktop = new OrcaDesktop(screen.display, folder, language);
    desktop.#parts.push(screen);
    mkdirSync(join(folder, 'runtime'), { recursive: true, mode: 0o700 });
    const prefs = join(folder, 'reader/.local/share/orca');
    mkdirSync(prefs, { recursive: true });
    copyFileSync(CUSTOMISATIONS, join(prefs, 'orca-customizations.py'));
    await desktop.#startBus();
    // It has started a bus of its own, which it ends if it is asked to.
    desktop.#start(REGISTRY, ['--launch-immediately', '--a11y=1', '--screen-reader=1'], { signal: 'SIGTERM' });
    desktop.#start('openbox', []);
    desktop.#start('orca', ['--enable=speech', '--disable=braille']);
    await desktop.#until(() => desktop.#utterances(0).length > 0);
    return desktop;
  }

  /** Presses a key as xdotool names it, and returns what Orca says of it. */
  async press(key: string): Promise<readonly string[]> {
    return this.hear(() => this.#xdotool('key', '--clearmodifiers', key));
  }

  async type(text: string): Promise<readonly string[]> {
    return this.hear(() => this.#xdotool('type', '--delay', '30', text), { firstMs: 2_000 });
  }

  /** Returns what Orca says from now on until it has been silent for a while. */
  async hear(
    work: () => unknown,
    { firstMs = 8_000, quietMs = 700, mostMs = 20_000 } = {},
  ): Promise<readonly string[]> {
    const from = this.#size();
    await work();
    const begun = Date.now();
    let size = from;
    let since = Date.now();
    while (Date.now() - since < (size === from ? firstMs : quietMs) && Date.now() - begun < mostMs) {
      await pause(50);
      if (this.#size() === size) continue;
      size = this.#size();
      since = Date.now();
    }
    return this.#utterances(from).flatMap(({ kind, text }) => (kind === 'speech' && text.trim() !== '' ? [text] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts.toReversed()) await part.stop();
    closeSync(this.#log);
  }

  #xdotool(...words: readonly string[]): void {
    const { status, stderr } = spawnSync('xdotool', words, { env: this.#environment, encoding: 'utf8' });
    if (status !== 0) throw new Error(`xdotool ${words.join(' ')}: ${stderr}`);
  }

  async #startBus(): Promise<void> {
    const bus = this.#start('dbus-daemon', ['--session', '--nofork', '--print-address=3'], { extra: 'pipe' });
    const lines = createInterface({ input: bus.stdio[3] as Readable });
    const [address] = (await once(lines, 'line')) as [string];
    lines.close();
    Object.assign(this.#environment, { DBUS_SESSION_BUS_ADDRESS: address });
  }

  #start(
    program: string,
    words: readonly string[],
    { signal = 'SIGKILL', extra = 'ignore' }: { signal?: NodeJS.Signals; extra?: 'ignore' | 'pipe' } = {},
  ): ChildProcess {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...words], {
      stdio: ['ignore', this.#log, this.#log, extra],
      env: this.#environment,
    });
    this.#parts.push({
      stop: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      },
    });
    return child;
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await pause(50);
  }

  #size(): number {
    return existsSync(this.#spoken) ? readFileSync(this.#spoken).length : 0;
  }

  #utterances(from: number): readonly Utterance[] {
    if (!existsSync(this.#spoken)) return [];
    const lines = readFileSync(this.#spoken).subarray(from).toString('utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Utterance);
  }
}
