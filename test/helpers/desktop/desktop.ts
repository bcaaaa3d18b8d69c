import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Screen } from '../../app/screen.ts';

const PROGRAMS = ['Xvfb', 'dbus-daemon', 'dbus-send', 'xfce4-panel', 'dunst', 'xdotool'];

/** True if this machine has the programs of a desktop. */
export const HAS_DESKTOP = PROGRAMS.every((program) => spawnSync('which', [program]).status === 0);

/** Shows the buttons of notifications. */
export const HAS_NOTIFY_SEND = spawnSync('which', ['notify-send']).status === 0;

const PANEL = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array"><value type="int" value="1"/>
    <property name="dark-mode" type="bool" value="true"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/><value type="int" value="2"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="tasklist"/>
    <property name="plugin-2" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
      <property name="icon-size" type="int" value="24"/>
    </property>
  </property>
</channel>
`;

const NOTIFIER = `[global]
  origin = top-right
  offset = 10x50
  timeout = 0
  idle_threshold = 0
  font = sans 12
`;

/** The height of the panel at the top of the screen, in pixels. */
export const PANEL_HEIGHT = 32;
export const SCREEN = { width: 1280, height: 800 } as const;

/** An isolated desktop: a virtual screen, a panel with a tray, and a notification server. */
export class Desktop {
  readonly display: string;
  /** The environment of programs on it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #screen: Screen;
  readonly #processes: readonly ChildProcess[];
  readonly #picture: string;

  private constructor(
    screen: Screen,
    environment: Readonly<Record<string, string>>,
    processes: readonly ChildProcess[],
    picture: string,
  ) {
    this.display = screen.display;
    this.environment = environment;
    this.#screen = screen;
    this.#processes = processes;
    this.#picture = picture;
  }

  /** @param folder an empty folder for the output of the programs */
  static async start(folder: string): Promise<Desktop> {
    const pictures = join(folder, 'pictures');
    mkdirSync(pictures);
    const screen = await Screen.start({ ...SCREEN, pictures });
    const config = join(folder, 'config');
    const settings = join(config, 'xfce4/xfconf/xfce-perchannel-xml');
    mkdirSync(settings, { recursive: true });
    mkdirSync(join(config, 'dunst'), { recursive: true });
    mkdirSync(join(folder, 'run'), { mode: 0o700 });
    writeFileSync(join(settings, 'xfce4-panel.xml'), PANEL);
    writeFileSync(join(config, 'dunst/dunstrc'), NOTIFIER);
    const environment: Record<string, string> = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      DISPLAY: screen.display,
      XDG_CONFIG_HOME: config,
      XDG_RUNTIME_DIR: join(folder, 'run'),
      XDG_CURRENT_DESKTOP: 'XFCE',
      XDG_SESSION_TYPE: 'x11',
      NO_AT_BRIDGE: '1',
      LC_ALL: 'C.UTF-8',
    };
    const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=3'], {
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [address] = (await once(createInterface({ input: bus.stdio[3] as Readable }), 'line')) as [string];
    environment['DBUS_SESSION_BUS_ADDRESS'] = address;
    const start = (program: string, ...words: readonly string[]): ChildProcess =>
      spawn(program, words, { env: environment, stdio: 'ignore' });
    const processes = [start('xfce4-panel', '--disable-wm-check'), start('dunst'), bus];
    const desktop = new Desktop(screen, environment, processes, join(pictures, 'Xvfb_screen0'));
    for (const name of ['org.kde.StatusNotifierWatcher', 'org.freedesktop.Notifications']) await desktop.#waitFor(name);
    return desktop;
  }

  /** Presses a mouse button (1 left, 3 right) at a position of the screen. */
  click(x: number, y: number, button: 1 | 3): void {
    const words = ['mousemove', String(Math.round(x)), String(Math.round(y)), 'click', String(button)];
    execFileSync('xdotool', words, { env: this.environment });
  }

  /** Returns the pixels of the screen: four bytes each, of blue, green, red and one that is unused. */
  look(): Buffer {
    const file = readFileSync(this.#picture);
    // The header of xwd: 32-bit numbers, the most significant byte first. Colours of 12 bytes come after it.
    const [headerBytes, colours] = [file.readUInt32BE(0), file.readUInt32BE(4 * 19)];
    const start = headerBytes + 12 * colours;
    return file.subarray(start, start + 4 * SCREEN.width * SCREEN.height);
  }

  closeNotifications(): void {
    execFileSync('dunstctl', ['close-all'], { env: this.environment });
  }

  /** Returns the processes of `notify-send` that wait for what is pressed on this desktop. */
  waitingNotifications(): readonly string[] {
    const bus = this.environment['DBUS_SESSION_BUS_ADDRESS']!;
    return readdirSync('/proc').filter((id) => {
      try {
        return (
          readFileSync(`/proc/${id}/comm`, 'utf8') === 'notify-send\n' &&
          readFileSync(`/proc/${id}/environ`, 'utf8').includes(bus)
        );
      } catch {
        return false;
      }
    });
  }

  async stop(): Promise<void> {
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.#screen.stop();
  }

  async #waitFor(name: string): Promise<void> {
    const words = [
      '--session',
      '--print-reply',
      '--dest=org.freedesktop.DBus',
      '/',
      'org.freedesktop.DBus.NameHasOwner',
    ];
    for (let tries = 0; tries < 600; tries += 1) {
      const { stdout } = spawnSync('dbus-send', [...words, `string:${name}`], {
        env: this.environment,
        encoding: 'utf8',
      });
      if (stdout.includes('boolean true')) return;
      await pause(100);
    }
    throw new Error(`${name} did not come`);
  }
}
