import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON } from '../electron-fixture.ts';
import { Screen } from '../screen.ts';
import { HomeLock } from '../../../src/agent/home/home-lock.ts';
import { homeAt } from '../../../src/agent/home/home.ts';
import { connectToWindow } from './connect-window.ts';
import { BUILD_PATIENCE_MS, buildProgram, end, Person } from './program-folder.ts';

const HAS_OPENSSL = spawnSync('which', ['openssl']).status === 0;
const PATIENCE_MS = 60_000;

/** The next version: says that it was started, instead of being a program of 100 MB. */
const NEXT = '#!/bin/sh\necho "started" >>"$HOME/next.log"\n';

interface Published {
  readonly version: string;
  readonly key?: string;
  readonly staging?: number;
  /** The least version of the kernel. */
  readonly system?: string;
  /** What the server sends instead of the file. */
  readonly sent?: string;
  /** Answers the request for the file instead. */
  readonly answer?: (response: ServerResponse) => void;
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
  const served = new Map<string, Buffer | ((response: ServerResponse) => void)>();
  const asked: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-updates-'));
    chmodSync(folder, 0o755);
    for (const name of ['ours', 'other']) openssl('genpkey', '-algorithm', 'ed25519', '-out', `${name}.pem`);
    openssl('pkey', '-in', 'ours.pem', '-pubout', '-out', 'ours.pub.pem');
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const answer = served.get(url);
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer ? 200 : 404).end(answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.env['HOLDFAST_UPDATE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/updates`;
    process.env['HOLDFAST_UPDATE_PUBLIC_KEY'] = join(folder, 'ours.pub.pem');
    try {
      const program = await buildProgram(join(folder, 'packages'), { version: '0.9.1', isForTests: true });
      person = new Person();
      mkdirSync(join(person.folder, 'Applications'));
      image = join(person.folder, 'Applications/Holdfast.AppImage');
      writeFileSync(image, `#!/bin/sh\nAPPIMAGE="$0" APPDIR='${program}' exec '${program}/holdfast-app' "$@"\n`, {
        mode: 0o755,
      });
      person.own(image, dirname(image));
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
  }, BUILD_PATIENCE_MS);
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
  function publish({ version, key = 'ours', staging, system, sent = NEXT, answer }: Published): void {
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
      ...(system === undefined ? [] : [`minimumSystemVersion: ${system}`]),
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
    served.set(`/updates/${name}`, answer ?? Buffer.from(sent));
  }

  /** Calls a method as the window does. */
  function ask(name: string, input: object = {}): Promise<unknown> {
    return page.evaluate(
      ([method, value]) =>
        (
          globalThis as unknown as { holdfastPort: { call: (name: string, input: object) => Promise<unknown> } }
        ).holdfastPort.call(method, value),
      [name, input] as const,
    );
  }

  /** Changes the switch in Settings. */
  async function turnUpdates(isOn: boolean): Promise<void> {
    const { preferences } = await stateOf(page);
    expect(await ask('preferences.save', { preferences: { ...preferences, updates: isOn } })).toMatchObject({
      ok: true,
    });
  }

  /** Returns the program files that are kept anywhere in the person's folders, besides the one that was started. */
  function downloads(): readonly string[] {
    return readdirSync(person.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(person.folder, name))
      .filter((file) => file.endsWith('.AppImage') && file !== image);
  }

  const isDownloaded = (): boolean => asked.some((url) => url.endsWith('.AppImage'));

  test.each([
    ['a signature of somebody else', { version: '0.9.2', key: 'other' }, 'failed signature', false],
    ['an older version', { version: '0.9.0' }, 'current', false],
    ['the same version', { version: '0.9.1' }, 'current', false],
    ['a roll-out that has not reached this computer', { version: '0.9.2', staging: 0 }, 'current', false],
    ['a version for a newer system', { version: '0.9.2', system: '99.0.0' }, 'system-too-old 0.9.2', false],
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

  test.each([
    ['sends more than announced, without an end', endlessly, 'failed damaged'],
    [
      'sends the person to another address',
      (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end(),
      'failed network',
    ],
  ])('ends a download when the server %s', async (_name, answer, expected) => {
    publish({ version: '0.9.2', answer });
    served.set('/elsewhere', Buffer.from(NEXT));
    await ask('update.check');
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe(expected);
    expect(asked).not.toContain('/elsewhere');
    expect(downloads()).toEqual([]);
  });

  test('ends a download when a person turns updates off', async () => {
    const closed = Promise.withResolvers<void>();
    const answer = (response: ServerResponse): void => {
      response.on('close', () => closed.resolve());
      response.writeHead(200).write(NEXT.slice(0, 10));
    };
    publish({ version: '0.9.2', answer });
    void ask('update.check');
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toMatch('downloading');
    await turnUpdates(false);
    await closed.promise;
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe('off');
    await turnUpdates(true);
    expect(downloads()).toEqual([]);
  });

  test('removes nothing through a link in the place of its downloads', async () => {
    const documents = join(person.folder, 'Documents');
    mkdirSync(documents);
    writeFileSync(join(documents, 'diary.txt'), 'mine');
    mkdirSync(join(person.folder, '.cache/holdfast-updater'), { recursive: true });
    symlinkSync(documents, join(person.folder, '.cache/holdfast-updater/pending'));
    publish({ version: '0.9.2', sent: NEXT.slice(0, 20) });
    await ask('update.check');
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe('failed damaged');
    expect(readFileSync(join(documents, 'diary.txt'), 'utf8')).toBe('mine');
  });

  test('refuses a file that was replaced after its download', async () => {
    publish({ version: '0.9.2' });
    await ask('update.check');
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe('ready 0.9.2');
    const [file] = downloads();
    writeFileSync(file!, NEXT.replace('started', 'stolen!'));
    const before = readFileSync(image, 'utf8');
    expect(await ask('update.install')).toMatchObject({ ok: true, value: { isStarted: false } });
    expect(await updateOf(page)).toBe('failed damaged');
    expect([readFileSync(image, 'utf8'), app.exitCode, downloads()]).toEqual([before, null, []]);
  });

  test('goes on when its file cannot be replaced', async () => {
    publish({ version: '0.9.2' });
    await ask('update.check');
    await expect.poll(async () => updateOf(page), { timeout: PATIENCE_MS }).toBe('ready 0.9.2');
    const before = readFileSync(image, 'utf8');
    const folder = dirname(image);
    chmodSync(folder, 0o555);
    expect(await ask('update.install')).toMatchObject({ ok: true, value: { isStarted: false } });
    chmodSync(folder, 0o755);
    expect(await updateOf(page)).toBe('failed install');
    expect([readFileSync(image, 'utf8'), readdirSync(folder), app.exitCode]).toEqual([
      before,
      ['Holdfast.AppImage'],
      null,
    ]);
  });

  test('shows what is new, waits for the end of a run, and is replaced', async () => {
    publish({ version: '0.9.2', staging: 100, system: '3.2.0' });
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

/** Sends a file without a length, for as long as somebody reads. */
function endlessly(response: ServerResponse): void {
  response.writeHead(200);
  const send = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(1 << 16)));
  };
  response.on('drain', send);
  send();
}

interface ShownUpdate {
  readonly kind: string;
  readonly problem?: string;
  readonly version?: string;
}

interface ShownState {
  readonly update: ShownUpdate;
  readonly preferences: object;
}

function stateOf(page: Page): Promise<ShownState> {
  return page.evaluate(() => {
    const { holdfastPort } = globalThis as unknown as {
      holdfastPort: { onState: (listener: (state: ShownState) => void) => () => void };
    };
    // A new listener gets the newest state at once.
    return new Promise<ShownState>((resolve) => holdfastPort.onState(resolve));
  });
}

/** Returns the state of updates that the window has, as words. */
async function updateOf(page: Page): Promise<string> {
  const { kind, problem, version } = (await stateOf(page)).update;
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
