import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright';
import { buildPackages } from '../../../scripts/package/build-packages.ts';
import { ELECTRON_CHOICE_VARIABLE } from '../../../scripts/electron/binary.ts';
import { answerWords, choosePlace, shownPhrase } from '../../app/first-steps.ts';
import { connectToWindow } from '../../package/connect-window.ts';
import { BareRoot } from '../self-hosting/bare-root.ts';

const CHECKOUT = dirname(dirname(dirname(import.meta.dirname)));
/** Where the bare system sees the campaign's folder. */
const OUTSIDE = '/srv/outside';
const VERSIONS = ['0.9.1', '0.9.2'] as const;
/** A backup of so much takes longer than an installation that takes a second; and what is backed up at least. */
const BYTES_A_SECOND = 120_000_000;
const LEAST_BYTES = 1_500_000_000;
/** On a busy machine. */
const PATIENCE_MS = 180_000;

export interface PackageStep {
  readonly step: string;
  readonly seconds: number;
  readonly found?: unknown;
}

/**
 * Installs the deb in a copy of this system, as an administrator would, and uses it as a person would: first backup through the window,
 * an update while the app runs and backs up, a restore, and the removal. Nothing of this system is changed.
 *
 * With `HOLDFAST_PACKAGES`, the debs of an earlier campaign are in that folder.
 *
 * @throws Error with the command that failed, and its output
 */
export async function runPackageCampaign(onStep: (step: PackageStep) => void): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
  try {
    await using campaign = new PackageCampaign(outside, onStep);
    await campaign.run();
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

function debOf(version: string): string {
  return `holdfast-app_${version}.deb`;
}

class PackageCampaign implements AsyncDisposable {
  readonly #outside: string;
  readonly #onStep: (step: PackageStep) => void;
  #root: BareRoot | undefined;
  #browser: Browser | undefined;
  #before: ReadonlySet<string> = new Set();
  #installSeconds = 0;

  constructor(outside: string, onStep: (step: PackageStep) => void) {
    this.#outside = outside;
    this.#onStep = onStep;
    chmodSync(outside, 0o755);
  }

  async run(): Promise<void> {
    await this.#step('two versions are built', () => this.#build());
    await this.#step('a computer with a person', () => this.#prepare());
    await this.#step('the first version is installed', () => this.#install(VERSIONS[0]));
    await this.#step('its entries are valid', () => this.#validate());
    await this.#step('first backup through the window', () => this.#firstBackup());
    await this.#step('an update during a backup', () => this.#update());
    await this.#step('the next start is the new version', () => this.#restart());
    await this.#step('the command line restores', () => this.#restore());
    await this.#step('removed', () => this.#remove());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.close();
    await this.#root?.[Symbol.asyncDispose]();
  }

  async #build(): Promise<unknown> {
    const built = process.env['HOLDFAST_PACKAGES'];
    if (built !== undefined) {
      for (const name of VERSIONS.map(debOf)) copyFileSync(join(built, name), join(this.#outside, name));
      return { built };
    }
    process.env[ELECTRON_CHOICE_VARIABLE] ??= 'registry-copy';
    for (const version of VERSIONS) {
      const out = join(this.#outside, 'build');
      await buildPackages({ root: CHECKOUT, out, only: ['deb'], version, isForTests: true, say: () => undefined });
      const deb = readdirSync(out).find((name) => name.endsWith('.deb'))!;
      copyFileSync(join(out, deb), join(this.#outside, debOf(version)));
      rmSync(out, { recursive: true });
    }
    return undefined;
  }

  async #prepare(): Promise<unknown> {
    this.#root = BareRoot.start(this.#outside);
    await this.#all(
      'export DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none',
      'useradd --create-home --shell /bin/bash anna',
      'mkdir -p /home/anna/Documents /home/anna/Pictures && chmod 755 /home/anna',
      'cp -r /usr/share/perl5 /home/anna/Documents/',
      'head -c 3000000 /dev/urandom >/home/anna/Pictures/one.jpg',
      'chown -R anna:anna /home/anna',
      'mkdir -p /tmp/.X11-unix && chmod 1777 /tmp/.X11-unix',
      `Xvfb :77 -screen 0 1280x800x24 -nolisten tcp >${OUTSIDE}/screen.log 2>&1 & true`,
    );
    return undefined;
  }

  async #install(version: string): Promise<unknown> {
    this.#before = new Set(await this.#files());
    const begun = performance.now();
    await this.#apt('install', `${OUTSIDE}/${debOf(version)}`);
    this.#installSeconds = (performance.now() - begun) / 1000;
    const helper = await this.#one(`stat -c '%a %U' /opt/Holdfast/chrome-sandbox`);
    const command = await this.#one('readlink -f /usr/bin/holdfast');
    if (command !== '/opt/Holdfast/resources/holdfast') throw new Error(`holdfast is ${command}`);
    return { helper, verified: await this.#one('dpkg --verify holdfast-app && echo yes') };
  }

  async #validate(): Promise<unknown> {
    const tools = ['desktop-file-validate', 'appstreamcli'].filter((tool) => existsSync(`/usr/bin/${tool}`));
    if (tools.includes('desktop-file-validate')) {
      await this.#all('desktop-file-validate /usr/share/applications/org.holdfast.Holdfast.desktop');
    }
    if (tools.includes('appstreamcli')) {
      await this.#all('appstreamcli validate --no-net /usr/share/metainfo/org.holdfast.Holdfast.metainfo.xml');
    }
    return { tools };
  }

  async #firstBackup(): Promise<unknown> {
    const page = await this.#open('first');
    const presses = await countPresses(page);
    const begun = Date.now();
    await choosePlace(page);
    const words = await shownPhrase(page);
    await page.getByRole('button', { name: 'I have written it down' }).click();
    await answerWords(page, words);
    await page.getByRole('heading', { name: 'What should be backed up?' }).waitFor();
    await page.getByRole('button', { name: 'Start the first backup' }).click();
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    const seconds = (Date.now() - begun) / 1000;
    const renderer = await this.#one(
      `grep -l -- --type=renderer /proc/[0-9]*/cmdline 2>/dev/null | head -1 | cut -d/ -f3`,
    );
    const sandbox = await this.#one(
      `grep -E '^(Seccomp|NoNewPrivs):' /proc/${renderer}/status | tr '\\n\\t' '  '; echo`,
    );
    if (!sandbox.includes('Seccomp: 2')) throw new Error(`the page has no sandbox: ${sandbox}`);
    return { seconds, presses: await presses(), sandbox };
  }

  /** Updates the package while a backup runs, which has to end as if nothing had happened. */
  async #update(): Promise<unknown> {
    const bytes = Math.max(LEAST_BYTES, Math.round(this.#installSeconds * BYTES_A_SECOND));
    await this.#all(
      `head -c ${bytes} /dev/urandom >/home/anna/Documents/large.bin && chown anna:anna /home/anna/Documents/large.bin`,
    );
    const page = this.#page;
    await page
      .getByRole('button', { name: /^Back up now/ })
      .first()
      .click();
    await page
      .getByRole('heading', { name: /Backing up/ })
      .first()
      .waitFor();
    await this.#apt('install', `${OUTSIDE}/${debOf(VERSIONS[1])}`);
    const during = await page.getByRole('heading').first().innerText();
    if (!during.startsWith('Backing up')) throw new Error(`the backup had ended before the update: ${during}`);
    await page.getByRole('heading', { name: /^Protected/ }).waitFor({ timeout: 4 * PATIENCE_MS });
    return { during, after: await page.getByRole('heading', { name: /^Protected/ }).innerText() };
  }

  async #restart(): Promise<unknown> {
    const before = await this.#one('pgrep -o -x holdfast-app');
    await this.#page
      .getByRole('link', { name: 'Settings' })
      .or(this.#page.getByRole('button', { name: 'Settings' }))
      .first()
      .click();
    await this.#page.getByRole('tab', { name: 'About' }).click();
    await this.#page.getByRole('button', { name: 'Restart Holdfast' }).click();
    await this.#browser?.close();
    const after = await this.#until(`pgrep -o -x holdfast-app | grep -vx ${before}`);
    const program = await this.#one(`readlink /proc/${after}/exe`);
    if (program !== '/opt/Holdfast/holdfast-app') throw new Error(`the old program still runs: ${program}`);
    return { program, installed: await this.#one(`dpkg-query -W -f '\${Version}\\n' holdfast-app`) };
  }

  async #restore(): Promise<unknown> {
    await this.#all(
      `${AS_ANNA} holdfast status`,
      `${AS_ANNA} holdfast restore 'My files' --to /home/anna/restored`,
      'diff -r /home/anna/Documents /home/anna/restored/Documents',
      'diff -r /home/anna/Pictures /home/anna/restored/Pictures',
    );
    return { files: Number(await this.#one('find /home/anna/restored -type f | wc -l')) };
  }

  /** Removes the package while the app runs, which then ends by itself. */
  async #remove(): Promise<unknown> {
    await this.#apt('purge', 'holdfast-app');
    await this.#until('pgrep -x holdfast-app >/dev/null || echo ended');
    const left = (await this.#files()).filter((file) => !this.#before.has(file));
    const others = left.filter(
      (file) => !file.startsWith('/home/anna/') || file.startsWith('/home/anna/.config/Holdfast'),
    );
    if (others.length > 0) throw new Error(`left behind:\n${others.join('\n')}`);
    const own = [...new Set(left.map((file) => file.split('/').slice(0, 7).join('/')))];
    return { own: own.filter((file) => !file.includes('/restored') && !file.includes('/window/')).slice(0, 40) };
  }

  /** Starts the installed app as the person, and connects to its window. */
  async #open(name: string): Promise<Page> {
    const log = `${OUTSIDE}/${name}.log`;
    await this.#all(
      `(cd /home/anna && ${AS_ANNA} DISPLAY=:77 holdfast-app --disable-gpu --remote-debugging-port=0 --lang=en-GB >${log} 2>&1 &)`,
    );
    const address = await this.#until(`sed -n 's/^DevTools listening on //p' ${log}`);
    this.#browser = await connectToWindow(address, PATIENCE_MS);
    const context = this.#browser.contexts()[0]!;
    const page = context.pages()[0] ?? (await context.waitForEvent('page'));
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  }

  get #page(): Page {
    return this.#browser!.contexts()[0]!.pages()[0]!;
  }

  async #apt(command: string, what: string): Promise<void> {
    await this.#all(
      `apt-get ${command} -y -qq --no-install-recommends ${what} || { apt-get update -qq && apt-get ${command} -y -qq --no-install-recommends ${what}; }`,
    );
  }

  /** Returns all files of the bare system but those of programs that write by themselves. */
  async #files(): Promise<readonly string[]> {
    const { output } = await this.#root!.run(
      `find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /srv -o -path /root -o -path /run -o -path /work -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \\) -prune -o -type f -print -o -type l -print 2>/dev/null`,
    );
    return output.split('\n');
  }

  async #all(...commands: readonly string[]): Promise<void> {
    for (const command of commands) {
      const { status, output } = await this.#root!.run(command);
      if (status !== 0) throw new Error(`${command}\nended with ${status}:\n${output}\n${this.#logs()}`);
    }
  }

  async #one(command: string): Promise<string> {
    const { status, output } = await this.#root!.run(command);
    if (status !== 0) throw new Error(`${command}\nended with ${status}:\n${output}\n${this.#logs()}`);
    return output.trim();
  }

  /** Waits for a command to print something. */
  async #until(command: string): Promise<string> {
    for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await pause(500)) {
      const { output } = await this.#root!.run(command);
      if (output.trim() !== '') return output.trim();
    }
    throw new Error(`${command}\nprinted nothing\n${this.#logs()}`);
  }

  #logs(): string {
    return readdirSync(this.#outside)
      .filter((name) => name.endsWith('.log'))
      .map((name) => `${name}: ${readFileSync(join(this.#outside, name), 'utf8').slice(-2000)}`)
      .join('\n');
  }

  async #step(step: string, work: () => Promise<unknown>): Promise<void> {
    const begun = performance.now();
    const found = await work();
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    this.#onStep({ step, seconds, ...(found === undefined ? {} : { found }) });
  }
}

/** Runs what follows as the person, with the variables of a session. */
const AS_ANNA =
  'runuser -u anna -- env HOME=/home/anna LANG=C.UTF-8 DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent NO_AT_BRIDGE=1';

/** Counts a person's presses of buttons and entries of words in a page. */
async function countPresses(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = globalThis as unknown as {
      presses: number;
      addEventListener: (name: string, listener: () => void, capture: boolean) => void;
    };
    counted.presses = 0;
    counted.addEventListener('click', () => (counted.presses += 1), true);
  });
  return () => page.evaluate(() => (globalThis as unknown as { presses: number }).presses);
}
