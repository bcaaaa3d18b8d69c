import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { ELECTRON, ElectronFixture } from '../../../app/electron-fixture.ts';
import { makePersonalFolder } from '../../../app/first-steps.ts';
import { OrcaDesktop } from './orca-desktop.ts';
import { Walk } from './walk.ts';

const ACCESSIBLE = '--force-renderer-accessibility';

/** A browser with nothing but the page. */
const BROWSER = `const { app, BrowserWindow, Menu } = require('electron');
Menu.setApplicationMenu(null);
app.whenReady().then(() => new BrowserWindow({ width: 1200, height: 850 }).loadURL(process.argv.at(-1)));
`;

/** What a walk takes place on: a desktop with Orca, a person's folder, and the programs on it. */
export class Stage implements AsyncDisposable {
  readonly desktop: OrcaDesktop;
  readonly walk: Walk;
  /** The home folder of the person. */
  readonly person: string;
  readonly #place: string;
  #window: ElectronFixture | undefined;
  #browser: ChildProcess | undefined;

  private constructor(desktop: OrcaDesktop, walk: Walk, place: string) {
    this.desktop = desktop;
    this.walk = walk;
    this.person = makePersonalFolder(5);
    this.#place = place;
  }

  /** @param language of Orca, and of what it is expected to read */
  static async open(onHeard: (line: string) => void, language: 'en' | 'de' = 'en'): Promise<Stage> {
    const place = mkdtempSync(join(tmpdir(), 'holdfast-orca-'));
    const desktop = await OrcaDesktop.start(place, language);
    return new Stage(desktop, new Walk(desktop, onHeard, language), place);
  }

  /** Starts the app; an earlier one has ended. */
  async openWindow(locale = 'en-GB'): Promise<Page> {
    await this.#window?.end();
    this.#window = await ElectronFixture.open({
      folder: this.person,
      display: this.desktop.display,
      locale,
      words: [ACCESSIBLE],
      environment: { NO_AT_BRIDGE: '0', DBUS_SESSION_BUS_ADDRESS: this.desktop.bus },
    });
    const page = await this.#window.window();
    page.setDefaultTimeout(90_000);
    return page;
  }

  /** Opens a web page in a browser. */
  openBrowser(url: string): void {
    const program = join(this.#place, 'browser.cjs');
    writeFileSync(program, BROWSER);
    const profile = join(this.#place, 'browser');
    const words = [
      '--no-sandbox',
      '--disable-gpu',
      '--password-store=basic',
      `--user-data-dir=${profile}`,
      '--lang=en-GB',
    ];
    this.#browser = spawn(ELECTRON!, [...words, ACCESSIBLE, program, url], {
      stdio: 'ignore',
      env: {
        ...process.env,
        DISPLAY: this.desktop.display,
        DBUS_SESSION_BUS_ADDRESS: this.desktop.bus,
        LANG: 'en_GB.UTF-8',
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#browser?.kill('SIGKILL');
    await this.#window?.close();
    await this.desktop[Symbol.asyncDispose]();
    rmSync(this.#place, { recursive: true, force: true, maxRetries: 5 });
    rmSync(this.person, { recursive: true, force: true, maxRetries: 5 });
  }
}
