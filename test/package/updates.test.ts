import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON } from '../app/electron-fixture.ts';
import { Screen } from '../app/screen.ts';
import { HomeLock } from '../../src/agent/home/home-lock.ts';
import { homeAt } from '../../src/agent/home/home.ts';
import { connectToWindow } from './connect-window.ts';
import { buildProgram, end, Person } from './program-folder.ts';

const HAS_OPENSSL = spawnSync('which', ['openssl']).status === 0;
const PATIENCE_MS = 60_000;

/** The next version: says that it was started, instead of being a program of 100 MB. */
const NEXT = '#!/bin/sh\necho "started" >>"$HOME/next.log"\n';

interface Published {
  readonly version: string;
  readonly key?: string;
  readonly staging?: number;
  /** What the server sends instead of the file. */
  readonly sent?: string;
}

describe.skipIf(!ELECTRON || !HAS_OPENSSL)('an installed app with a server of updates', () => {
  let folder: string;
  let server: Server;
  let screen: Screen;
  let person: Person;
  let app: ChildProcess;
  let browser: Browser;
  let page: Page;
  /** The file that the person started, in the place of an AppImage. */
  let image: string;
  const served = new Map<string, Buffer>();
  const asked: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-updates-'));
    chmodSync(folder, 0o755);
    for (const name of ['ours', 'other']) openssl('genpkey', '-algorithm', 'ed25519', '-out', `${name}.pem`);
    openssl('pkey', '-in', 'ours.pem', '-pubout', '-out', 'ours.pub.pem');
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const bytes = served.get(url);
      response.writeHead(bytes ? 200 : 404).end(bytes);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.env['HOLDFAST_UPDATE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/updates`;
    process.env['HOLDFAST_UPDATE_PUBLIC_KEY'] = join(folder, 'ours.pub.pem');
    try {
      const program = await buildProgram(join(folder, 'packages'), { version: '0.9.1', isForTests: true });
      person = new Person();
      image = join(person.folder, 'Holdfast.AppImage');
      writeFileSync(image, `#!/bin/sh\nAPPIMAGE="$0" exec '${program}/holdfast-app' "$@"\n`, { mode: 0o755 });
      person.own(image);
    } finally {
      delete process.env['HOLDFAST_UPDATE_URL'];
      delete process.env['HOLDFAST_UPDATE_PUBLIC_KEY'];
    }
    screen = await Screen.start();
    app = person.start(screen.display, {}, image, '--disable-gpu', '--remote-debugging-port=0', '--lang=en-GB');
    app.stdout?.resume();
    browser = await connectToWindow(await devToolsOf(app), PATIENCE_MS);
    const context = browser.contexts()[0]!;
    page = context.pages()[0] ?? (await context.waitForEvent('page'));
    page.setDefaultTimeout(PATIENCE_MS);
    await page.waitForLoadState();
  });
  afterAll(async () => {
    await browser?.close();
    if (app) await end(app);
    await screen?.stop();
    person?.[Symbol.dispose]();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function openssl(...words: readonly string[]): void {
    execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  }

  /** Publishes a version as `npm run release` does. */
  function publish({ version, key = 'ours', staging, sent = NEXT }: Published): void {
    const name = `Holdfast-${version}-x86_64.AppImage`;
    const sha512 = createHash('sha512').update(NEXT).digest('base64');
    const lines = [
      `version: ${version}`,
      'files:',
      `  - url: ${name}`,
      `    sha512: ${sha512}`,
      `    size: ${NEXT.length}`,
      `path: ${name}`,
      `sha512: ${sha512}`,
      "releaseDate: '2026-11-23T19:00:00.000Z'",
      ...(staging === undefined ? [] : [`stagingPercentage: ${staging}`]),
      'releaseNotes: |',
      '  - **Faster** in every way.',
      '',
    ];
    writeFileSync(join(folder, 'latest.yml'), lines.join('\n'));
    openssl('pkeyutl', '-sign', '-rawin', '-inkey', `${key}.pem`, '-in', 'latest.yml', '-out', 'latest.yml.sig');
    served.clear();
    asked.length = 0;
    served.set('/updates/latest-linux.yml', readFileSync(join(folder, 'latest.yml')));
    served.set('/updates/latest-linux.yml.sig', readFileSync(join(folder, 'latest.yml.sig')));
    served.set(`/updates/${name}`, Buffer.from(sent));
  }

  /** Calls a method as the window does. */
  function ask(name: string): Promise<unknown> {
    return page.evaluate(
      (method) =>
        (
          globalThis as unknown as { holdfastPort: { call: (name: string, input: object) => Promise<unknown> } }
        ).holdfastPort.call(method, {}),
      name,
    );
  }

  const isDownloaded = (): boolean => asked.some((url) => url.endsWith('.AppImage'));

  test.each([
    ['a signature of somebody else', { version: '0.9.2', key: 'other' }, 'failed signature', false],
    ['an older version', { version: '0.9.0' }, 'current', false],
    ['the same version', { version: '0.9.1' }, 'current', false],
    ['a roll-out that has not reached this computer', { version: '0.9.2', staging: 0 }, 'current', false],
    ['a file that is cut off', { version: '0.9.2', sent: NEXT.slice(0, 20) }, 'failed damaged', true],
    ['another file', { version: '0.9.2', sent: NEXT.replace('started', 'stolen!') }, 'failed damaged', true],
  ] as const)('refuses %s', async (_name, published, expected, isFetched) => {
    publish(published);
    expect(await ask('update.check')).toMatchObject({ ok: true });
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe(expected);
    expect(isDownloaded()).toBe(isFetched);
    expect(await ask('update.install')).toMatchObject({ ok: true, value: { isStarted: false } });
    expect(app.exitCode).toBeNull();
  });

  test('shows what is new, waits for the end of a run, and is replaced', async () => {
    publish({ version: '0.9.2', staging: 100 });
    await ask('update.check');
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe('ready 0.9.2');
    expect(await ask('update.news')).toMatchObject({ ok: true, value: { newer: expect.stringContaining('Faster') } });
    {
      const home = join(person.folder, 'holdfast');
      using _lock = HomeLock.acquire(homeAt(home), 'backup documents', Date.now());
      person.own(...readdirSync(home).map((name) => join(home, name)));
      expect(await ask('update.install')).toMatchObject({ ok: true, value: { isStarted: false } });
    }
    expect(existsSync(join(person.folder, 'next.log'))).toBe(false);
    const ended = once(app, 'exit');
    await ask('update.install').catch(() => undefined);
    await ended;
    await expect.poll(() => existsSync(join(person.folder, 'next.log')), { timeout: PATIENCE_MS }).toBe(true);
    expect(readFileSync(image, 'utf8')).toBe(NEXT);
  });
});

interface ShownUpdate {
  readonly kind: string;
  readonly problem?: string;
  readonly version?: string;
}

/** Returns the state of updates that the window has, as words. */
async function updateOf(page: Page): Promise<string> {
  const { kind, problem, version } = await page.evaluate(() => {
    const { holdfastPort } = globalThis as unknown as {
      holdfastPort: { onState: (listener: (state: { update: ShownUpdate }) => void) => () => void };
    };
    // A new listener gets the newest state at once.
    return new Promise<ShownUpdate>((resolve) => holdfastPort.onState(({ update }) => resolve(update)));
  });
  return [kind, problem, version].filter((word) => word !== undefined).join(' ');
}

/** Waits for the address of the DevTools port. */
async function devToolsOf(app: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: app.stderr! })) {
    const [, address] = /DevTools listening on (\S+)/.exec(line) ?? [];
    if (address !== undefined) {
      app.stderr!.resume();
      return address;
    }
  }
  throw new Error('the app has ended');
}
