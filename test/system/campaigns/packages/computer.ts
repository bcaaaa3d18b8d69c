import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright';
import { connectToWindow } from '../../../app/package/connect-window.ts';
import { BareRoot } from '../self-hosting/bare-root.ts';

/** Where the computer sees the campaign's folder. */
export const OUTSIDE = '/srv/outside';
/** On a busy machine. */
export const PATIENCE_MS = 180_000;

/** Runs what follows as the person, with the variables of a session. */
export const AS_ANNA =
  'runuser -u anna -- env HOME=/home/anna LANG=C.UTF-8 DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent NO_AT_BRIDGE=1';

/** Folders whose contents other programs change, such as those of the package managers. */
const OF_OTHERS =
  '/proc /sys /dev /tmp /srv /root /run /work /var/lib/apt /var/cache /var/log /var/tmp /var/lib/dpkg /var/lib/rpm'.split(
    ' ',
  );

/** The app's processes: what each of them runs, whether it was replaced, and its state. */
const LIST_PROGRAMS = `for id in $(pgrep -x holdfast-app); do echo $id $(readlink /proc/$id/exe) $(sed -n 's/^State:\\s*//p' /proc/$id/status) $(tr '\\0' ' ' </proc/$id/cmdline | cut -c1-120); done`;

/** A computer with a screen and a person, Anna, who has files. */
export class Computer implements AsyncDisposable {
  readonly #outside: string;
  readonly #root: BareRoot;
  #browser: Browser | undefined;

  private constructor(outside: string) {
    this.#outside = outside;
    this.#root = BareRoot.start(outside);
  }

  /** @param outside a folder that is `/srv/outside` there */
  static async start(outside: string): Promise<Computer> {
    const computer = new Computer(outside);
    await computer.all(
      'export DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none',
      'useradd --create-home --shell /bin/bash anna',
      'mkdir -p /home/anna/Documents /home/anna/Pictures && chmod 755 /home/anna',
      'cp -r /usr/share/perl5 /home/anna/Documents/',
      'head -c 3000000 /dev/urandom >/home/anna/Pictures/one.jpg',
      'chown -R anna:anna /home/anna',
      'mkdir -p /tmp/.X11-unix && chmod 1777 /tmp/.X11-unix',
      `Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>/tmp/display >${OUTSIDE}/screen.log 2>&1 & true`,
    );
    await computer.until('cat /tmp/display');
    return computer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeBrowser();
    await this.#root[Symbol.asyncDispose]();
  }

  /** Runs commands. @throws Error for the first one that fails */
  async all(...commands: readonly string[]): Promise<void> {
    for (const command of commands) await this.one(command);
  }

  /** Returns what a command prints. @throws Error if it fails */
  async one(command: string): Promise<string> {
    const { status, output } = await this.#root.run(command);
    if (status !== 0) throw new Error(`${command}\nended with ${status}:\n${output}\n${this.#logs()}`);
    return output.trim();
  }

  /** Returns what a command prints that has to fail. */
  async refused(command: string): Promise<string> {
    const { status, output } = await this.#root.run(command);
    if (status === 0) throw new Error(`${command}\nwas not refused:\n${output}`);
    return output.trim();
  }

  /** Waits for a command to print something. */
  async until(command: string): Promise<string> {
    for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await pause(500)) {
      const { output } = await this.#root.run(command);
      if (output.trim() !== '') return output.trim();
    }
    const { output } = await this.#root.run(LIST_PROGRAMS);
    throw new Error(`${command}\nprinted nothing\n${output}\n${await this.#shown()}\n${this.#logs()}`);
  }

  /** Returns all files, links and folders but those of programs that write by themselves. */
  async paths(): Promise<readonly string[]> {
    const left = OF_OTHERS.map((folder) => `-path ${folder}`).join(' -o ');
    const { output } = await this.#root.run(`find / -xdev \\( ${left} \\) -prune -o -print 2>/dev/null`);
    return output.split('\n');
  }

  /** Starts the app as the person, and connects to its window. @param name of the log */
  async openApp(name: string, program: string): Promise<Page> {
    const log = `${OUTSIDE}/${name}.log`;
    await this.all(
      `(cd /home/anna && ${AS_ANNA} DISPLAY=:$(cat /tmp/display) ${program} --disable-gpu --remote-debugging-port=0 --lang=en-GB >${log} 2>&1 &)`,
    );
    // The line may be written in pieces.
    const address = await this.until(
      `sed -nE 's|^DevTools listening on (ws://.*/[0-9a-f-]{36})$|\\1|p' ${log} 2>/dev/null`,
    );
    this.#browser = await connectToWindow(address, PATIENCE_MS);
    const context = this.#browser.contexts()[0]!;
    const page = context.pages()[0] ?? (await context.waitForEvent('page'));
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  }

  get page(): Page {
    return this.#browser!.contexts()[0]!.pages()[0]!;
  }

  /** Opens the settings' page about the program. */
  async openAbout(): Promise<void> {
    const { page } = this;
    await page
      .getByRole('link', { name: 'Settings' })
      .or(page.getByRole('button', { name: 'Settings' }))
      .first()
      .click();
    await page.getByRole('tab', { name: 'About' }).click();
  }

  /** Starts a backup by the button on Home. */
  async pressBackUp(): Promise<void> {
    await this.page
      .getByRole('button', { name: /^Back up now/ })
      .first()
      .click();
  }

  async closeBrowser(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
  }

  /** Returns the text of the window, if it is still open. */
  async #shown(): Promise<string> {
    const page = this.#browser?.contexts()[0]?.pages()[0];
    const text = page?.locator('body').innerText({ timeout: 5000 });
    return (await text?.catch(() => undefined)) ?? 'no window';
  }

  #logs(): string {
    return readdirSync(this.#outside)
      .filter((name) => name.endsWith('.log'))
      .map((name) => `${name}: ${readFileSync(join(this.#outside, name), 'utf8').slice(-2000)}`)
      .join('\n');
  }
}
