import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { DOCUMENTS, NOT_SET_UP, PROTECTED, RUNNING } from './renderer/states.ts';
import { ELECTRON, testEnvironment } from './electron-fixture.ts';
import type { FixtureOptions } from './electron-fixture.ts';
import { ScriptedFixture } from './scripted-fixture.ts';

const WORDS = Array.from({ length: 24 }, (_, index) => `word${index + 1}`);
const ANSWERS = {
  'phrase.words': { words: WORDS, device: 'Anna’s laptop', location: '/media/Anna’s disk/backups' },
  'diagnostics.text': { text: 'Holdfast 0.1.0\n' },
};
const BUSY: AppState = {
  ...PROTECTED,
  health: 'running',
  runs: [RUNNING],
  sets: [{ ...DOCUMENTS, decision: { kind: 'running', since: Date.now(), trigger: 'schedule' } }],
};

const opened: ScriptedFixture[] = [];

async function open(state: AppState = PROTECTED, options: FixtureOptions = {}): Promise<ScriptedFixture> {
  const scripted = await ScriptedFixture.open({ events: { state }, answers: ANSWERS }, options);
  opened.push(scripted);
  return scripted;
}

async function closeAll(): Promise<void> {
  for (const scripted of opened.splice(0).reverse()) await scripted.close();
}

/** Other processes are slow on a busy machine. */
function eventually<Value>(value: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(value, { timeout: 60_000, interval: 20 });
}

describe.skipIf(!ELECTRON)('window', () => {
  let scripted: ScriptedFixture;
  beforeAll(async () => {
    scripted = await open();
  });
  afterAll(closeAll);

  test('shows the state of the agent', async () => {
    const page = await scripted.electron.window();
    expect(page.url()).toBe('app://holdfast/index.html');
    await page.getByRole('heading').first().waitFor();
    expect(await page.locator('body').innerText()).toContain('Protected');
    // Names are exact in the pages of Electron, too.
    expect(await page.getByRole('heading', { name: /^Prot/ }).count()).toBeGreaterThan(0);
    expect(await page.getByRole('heading', { name: 'Prot' }).count()).toBe(0);
  });

  test('goes on after an uncaught error of the main process, and reports it', async () => {
    const folder = join(scripted.electron.home, 'crash-reports');
    await scripted.electron.app.evaluate(() => {
      setTimeout(() => {
        throw new RangeError('by the test');
      });
    });
    await eventually(() => (existsSync(folder) ? readdirSync(folder).length : 0)).toBe(1);
    const page = await scripted.electron.window();
    const answer = await Promise.race([scripted.electron.ask('crashes.list'), page.waitForTimeout(20_000)]);
    expect(answer).toMatchObject({ ok: true });
  });

  test('is sandboxed, isolated and without Node', async () => {
    const page = await scripted.electron.window();
    const preferences = await scripted.electron.app.evaluate(({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows()[0]!;
      return (
        webContents as unknown as { getLastWebPreferences: () => Electron.WebPreferences }
      ).getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
    });
    const kinds = await page.evaluate(
      '[typeof require, typeof process, typeof module, typeof Buffer, Object.keys(window.holdfastPort).sort().join()]',
    );
    expect(kinds).toEqual(['undefined', 'undefined', 'undefined', 'undefined', 'call,languages,onShow,onState']);
  });

  test('cannot navigate to another page', async () => {
    const page = await scripted.electron.window();
    for (const address of ['https://example.org/', 'file:///etc/passwd', 'app://holdfast/x.html', 'data:text/html,x']) {
      await page.evaluate(`void (location.href = ${JSON.stringify(address)})`);
    }
    await page.evaluate(`{
      const form = document.createElement('form');
      form.action = 'https://example.org/';
      document.body.append(form);
      form.submit();
      form.remove();
    }`);
    // A refusal causes no event, but a round trip through both processes comes after it.
    await scripted.electron.ask('shell.abilities');
    expect(page.url()).toBe('app://holdfast/index.html');
  });

  test('cannot open another window', async () => {
    const page = await scripted.electron.window();
    for (const address of ['https://example.org/', 'app://holdfast/index.html', 'about:blank']) {
      expect(await page.evaluate(`window.open(${JSON.stringify(address)}) === null`)).toBe(true);
    }
    expect(await scripted.electron.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test.each(['https://example.org/', 'file:///etc/hostname', 'app://holdfast/index.html', 'app://other/index.html'])(
    'cannot fetch %s',
    async (address) => {
      const page = await scripted.electron.window();
      const fetched = `fetch(${JSON.stringify(address)}).then(() => 'got', () => 'refused')`;
      expect(await page.evaluate(fetched)).toBe('refused');
    },
  );

  test('cannot run inline scripts', async () => {
    const page = await scripted.electron.window();
    const added = `{
      const script = document.createElement('script');
      try {
        script.textContent = 'globalThis.hasRun = true';
        document.body.append(script);
      } catch {}
      globalThis.hasRun === true;
    }`;
    expect(await page.evaluate(added)).toBe(false);
  });

  test('gets no permissions', async () => {
    const page = await scripted.electron.window();
    expect(await page.evaluate('Notification.requestPermission()')).toBe('denied');
    const recording = "navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'got', (error) => error.name)";
    expect(await page.evaluate(recording)).not.toBe('got');
    for (const name of ['geolocation', 'camera', 'microphone', 'clipboard-read']) {
      const query = `navigator.permissions.query({ name: '${name}' }).then(({ state }) => state)`;
      expect([name, await page.evaluate(query)]).toEqual([name, 'denied']);
    }
  });

  test('is refused calls that are not for it, with a code', async () => {
    const refused = (problem: string) => ({ ok: false, failure: { code: 'refused', details: { problem } } });
    for (const name of [
      'phrase.words',
      'key.code',
      'environment.changed',
      'agent.stop',
      'constructor',
      '__proto__',
      '',
      7,
      null,
    ]) {
      expect(await scripted.electron.ask(name as string)).toEqual(refused('method'));
    }
    expect(await scripted.electron.ask('shell.open-link', { url: 7 })).toEqual(refused('input'));
    expect(await scripted.electron.ask('shell.open-link', { url: 'https://example.org/' })).toEqual(refused('link'));
    expect(await scripted.electron.ask('shell.open-link', { url: 'file:///etc/passwd' })).toEqual(refused('link'));
    // Home asks by itself what a retention would free.
    expect(scripted.calls().filter(({ method }) => method !== 'sets.retention')).toEqual([]);
  });

  test('is refused calls from a frame and from another window', async () => {
    const { app } = scripted.electron;
    const preload = join(scripted.electron.folder, 'program/dist/app/preload.cjs');
    const foreign = await app.evaluate(async ({ BrowserWindow }, script) => {
      const window = new BrowserWindow({ show: false, webPreferences: { preload: script, sandbox: true } });
      await window.loadURL('app://holdfast/index.html');
      const answer: unknown = await window.webContents.executeJavaScript("holdfastPort.call('shell.abilities', {})");
      window.destroy();
      return answer;
    }, preload);
    expect(foreign).toEqual({ ok: false, failure: { code: 'refused', details: { problem: 'sender' } } });
    const page = await scripted.electron.window();
    const framed = await page.evaluate(`{
      const frame = document.createElement('iframe');
      frame.src = 'app://holdfast/index.html';
      document.body.append(frame);
      frame.contentWindow.holdfastPort === undefined;
    }`);
    expect(framed).toBe(true);
  });

  test('passes calls on to the agent', async () => {
    expect(await scripted.electron.ask('runs.backup', { set: 'Documents' })).toEqual({ ok: true, value: {} });
    expect(scripted.calls().at(-1)).toEqual({ method: 'runs.backup', input: { set: 'Documents' } });
  });

  test('saves a recovery kit of one page, for its owner only', async () => {
    const file = join(scripted.electron.folder, 'kit.pdf');
    await scripted.electron.app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
    }, file);
    expect(await scripted.electron.ask('shell.save-kit')).toEqual({ ok: true, value: { path: file } });
    const pdf = readFileSync(file, 'latin1');
    expect(pdf.slice(0, 5)).toBe('%PDF-');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    expect(pdf).toMatch(/\/Count 1\b/);
  });

  test('follows the chosen appearance', async () => {
    const page = await scripted.electron.window();
    for (const appearance of ['dark', 'light'] as const) {
      scripted.sendState({ ...PROTECTED, preferences: { ...PROTECTED.preferences, appearance } });
      await eventually(() => page.evaluate(`matchMedia('(prefers-color-scheme: ${appearance})').matches`)).toBe(true);
    }
  });
});

describe.skipIf(!ELECTRON)('app that goes on', () => {
  let scripted: ScriptedFixture;
  beforeAll(async () => {
    scripted = await open();
  });
  afterAll(closeAll);

  test('has a menu with the usual keys and actions', async () => {
    const { app } = scripted.electron;
    const page = await scripted.electron.window();
    await page.getByRole('heading', { level: 1, name: /Protected/ }).waitFor();
    const keys = await app.evaluate(({ Menu }) =>
      Menu.getApplicationMenu()!.items.flatMap(({ submenu }) =>
        (submenu?.items ?? []).flatMap(({ label, accelerator }) => (accelerator ? [`${accelerator} ${label}`] : [])),
      ),
    );
    for (const key of ['1 Home', '6 Settings', 'B Back up now', ', Settings', 'Q Quit Holdfast']) {
      expect(keys).toContain(`CommandOrControl+${key}`);
    }
    const press = (wanted: string): Promise<void> =>
      app.evaluate(({ Menu }, label) => {
        const items = Menu.getApplicationMenu()!.items.flatMap(({ submenu }) => submenu?.items ?? []);
        items.find((item) => item.label === label)!.click();
      }, wanted);
    const before = scripted.calls().length;
    await press('Back up now');
    await eventually(() => scripted.calls().slice(before)).toEqual([
      { method: 'runs.backup', input: { set: 'Documents' } },
    ]);
    await press('Activity');
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await page.keyboard.press('Control+1');
    await page.getByRole('heading', { level: 1, name: /Protected/ }).waitFor();
  });

  test('starts at login when the preference is on', async () => {
    const file = join(scripted.electron.folder, '.config/autostart/holdfast.desktop');
    mkdirSync(join(scripted.electron.folder, '.config'), { recursive: true });
    scripted.sendState({ ...PROTECTED, preferences: { ...PROTECTED.preferences, startAtLogin: true } });
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8')).toContain('"--hidden"');
    scripted.sendState(PROTECTED);
    await eventually(() => existsSync(file)).toBe(false);
  });

  test('reports wake-up and power changes to the agent', async () => {
    await scripted.electron.window();
    await scripted.electron.app.evaluate(({ powerMonitor }) => {
      powerMonitor.emit('resume');
      powerMonitor.emit('on-battery');
    });
    const received = () =>
      scripted.calls().flatMap(({ method, input }) => (method === 'environment.changed' ? [input] : []));
    await eventually(received).toEqual([{ what: 'resumed' }, { what: 'power' }]);
  });

  test('keeps the computer awake during runs only', async () => {
    scripted.sendState(BUSY);
    const { electron: fixture } = scripted;
    const isAwake = () =>
      fixture.app.evaluate(({ powerSaveBlocker }) => [0, 1, 2, 3].some((id) => powerSaveBlocker.isStarted(id)));
    await eventually(isAwake).toBe(true);
    scripted.sendState(PROTECTED);
    await eventually(isAwake).toBe(false);
    scripted.sendState({ ...BUSY, preferences: { ...BUSY.preferences, keepAwake: false } });
    await eventually(async () => (await fixture.window()).getByText('Documents').first().isVisible()).toBe(true);
    expect(await isAwake()).toBe(false);
    scripted.sendState(PROTECTED);
  });

  test('runs once: a second start shows the first window', async () => {
    const { electron: fixture } = scripted;
    await fixture.window();
    const visible = () =>
      fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()));
    // The window is shown when its page is ready, which may be later than the test is.
    await eventually(visible).toEqual([true]);
    await fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.hide());
    await eventually(visible).toEqual([false]);
    const second = spawn(ELECTRON!, ['--no-sandbox', join(fixture.folder, 'program')], {
      env: testEnvironment(fixture.folder, fixture.display, 'en-GB'),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [errors, [status]] = await Promise.all([text(second.stderr), once(second, 'exit')]);
    expect([status, status === 0 ? '' : errors]).toEqual([0, '']);
    await eventually(visible).toEqual([true]);
  });

  test('shows the previous versions that a file manager asks for, also while it is hidden', async () => {
    const { electron: fixture } = scripted;
    await fixture.window();
    scripted.sendState({ ...PROTECTED, preferences: { ...PROTECTED.preferences, fileManagers: true } });
    const menu = join(fixture.folder, '.local/share/nemo/actions/holdfast.nemo_action');
    await eventually(() => existsSync(menu) && readFileSync(menu, 'utf8')).toContain('--previous-versions');
    const second = spawn(
      ELECTRON!,
      ['--no-sandbox', join(fixture.folder, 'program'), '--previous-versions', '/home/anna/Documents/a letter.odt'],
      { env: testEnvironment(fixture.folder, fixture.display, 'en-GB'), stdio: 'ignore' },
    );
    await once(second, 'exit');
    await eventually(() => scripted.calls().filter(({ method }) => method === 'sets.locate')).toEqual([
      { method: 'sets.locate', input: { path: '/home/anna/Documents/a letter.odt' } },
    ]);
    await (await fixture.window()).getByRole('heading', { level: 1, name: 'Restore' }).waitFor();
    scripted.sendState(PROTECTED);
    await eventually(() => existsSync(menu)).toBe(false);
  });
});

describe.skipIf(!ELECTRON)('app', () => {
  afterEach(closeAll);

  test('has the formats of the preferred region where Electron has texts of another one only', async () => {
    const { electron: fixture } = await open(PROTECTED, { locale: 'en-IN' });
    const page = await fixture.window();
    await page.getByRole('heading', { level: 1, name: /Protected/ }).waitFor();
    expect(await page.evaluate('[navigator.languages[0], holdfastPort.languages[0]]')).toEqual(['en-GB', 'en-IN']);
    const shown = await page.locator('body').innerText();
    // Britain has 24 hours.
    expect(shown).toMatch(/\b\d{1,2}:\d{2}\s[ap]m\b/);
  });

  test('continues without its window, notifies once, and reopens it at the same position', async () => {
    const { electron: fixture } = await open();
    await fixture.window();
    await fixture.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.setBounds({ x: 140, y: 90, width: 900, height: 640 }),
    );
    await fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    await eventually(() => existsSync(join(fixture.home, 'window/shown-notices.json'))).toBe(true);
    expect(await fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
    const opening = fixture.app.waitForEvent('window');
    await fixture.app.evaluate(({ app }) => app.emit('activate'));
    const page = await opening;
    await page.getByText('Protected').first().waitFor();
    const bounds = await fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.getBounds());
    expect(bounds).toEqual({ x: 140, y: 90, width: 900, height: 640 });
  });

  test('ends with its window before setup', async () => {
    const { electron: fixture } = await open(NOT_SET_UP);
    await (await fixture.window()).getByRole('heading', { name: 'Where should your backups go?' }).waitFor();
    const ended = once(fixture.app.process(), 'exit');
    // It may end before it responds.
    const closed = fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    closed.catch(() => undefined);
    expect((await ended)[0]).toBe(0);
  });

  test('opens at its last position, and keeps an unreadable one', async () => {
    const first = await open();
    await first.electron.window();
    await first.electron.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.setBounds({ x: 60, y: 50, width: 800, height: 600 }),
    );
    await first.electron.end();
    const file = join(first.electron.home, 'window/window.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, bounds: { width: 800, height: 600 } });
    writeFileSync(file, '{"version":1,"bounds":');
    const { electron: fixture } = await open(PROTECTED, {
      folder: first.electron.folder,
      display: first.electron.display,
    });
    await fixture.window();
    expect(readFileSync(`${file}.bad`, 'utf8')).toBe('{"version":1,"bounds":');
    const [size] = await fixture.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.getSize()),
    );
    expect(size).toEqual([1040, 720]);
  });

  test('starts without a window when the system starts it', async () => {
    const { electron: fixture } = await open(PROTECTED, { words: ['--hidden'] });
    await fixture.app.evaluate(({ app }) => app.whenReady());
    expect(await fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
  });

  test('restarts the agent when it ends, and shows that meanwhile', async () => {
    const scripted = await open(BUSY);
    const page = await scripted.electron.window();
    await page.evaluate(() => {
      const fixture = globalThis as unknown as {
        received: unknown[];
        holdfastPort: { onState: (listener: (state: unknown) => void) => void };
      };
      fixture.received = [];
      fixture.holdfastPort.onState((state) => fixture.received.push(state));
    });
    const received = () => page.evaluate(() => (globalThis as unknown as { received: AppState[] }).received);
    await eventually(async () => (await received()).at(-1)?.runs.length).toBe(1);
    scripted.play({ events: { state: BUSY }, answers: { 'security.state': null } });
    const asked = scripted.electron.ask('security.state');
    await eventually(() => scripted.calls().some(({ method }) => method === 'security.state')).toBe(true);
    const pid = await scripted.agentPid();
    process.kill(pid, 'SIGKILL');
    expect(await asked).toEqual({ ok: false, failure: { code: 'agent_gone', details: {} } });
    await eventually(async () => (await scripted.agentPid()) !== pid).toBe(true);
    await eventually(async () => (await received()).at(-1)?.runs.length).toBe(1);
    const states = await received();
    const gone = states.find(({ needs }) => needs.some(({ kind }) => kind === 'agent-restarted'));
    expect([gone?.runs, gone?.health]).toEqual([[], 'waiting']);
    expect(states.at(-1)?.needs).toContainEqual({ kind: 'agent-restarted', at: expect.any(Number) });
    // The number of the signal, as the system names it.
    const list = (): Promise<unknown> => scripted.electron.ask('crashes.list');
    await eventually(async () => JSON.stringify(await list())).toMatch(/agent, ended, exit code (?:9|137)\b/);
  });

  test('asks before quitting during a backup', async () => {
    const scripted = await open(BUSY);
    const { electron: fixture } = scripted;
    await fixture.window();
    await eventually(async () => (await fixture.window()).getByText('Documents').first().isVisible()).toBe(true);
    await fixture.app.evaluate(({ app, dialog }) => {
      const shown = globalThis as unknown as { asked: unknown[] };
      shown.asked = [];
      dialog.showMessageBox = (...words: unknown[]) => {
        shown.asked.push(words.at(-1));
        return Promise.resolve({ response: 0, checkboxChecked: false });
      };
      app.quit();
    });
    // It continues in the background.
    await eventually(() => fixture.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
    const asked = await fixture.app.evaluate(() => (globalThis as unknown as { asked: unknown[] }).asked);
    expect(asked).toMatchObject([{ buttons: ['Keep running in the background', 'Stop and quit'], defaultId: 0 }]);
    const closed = fixture.app.waitForEvent('close');
    await fixture.app.evaluate(({ app, dialog }) => {
      dialog.showMessageBox = () => Promise.resolve({ response: 1, checkboxChecked: false });
      app.quit();
    });
    await closed;
    expect(scripted.calls().at(-1)?.method).toBe('agent.stop');
  });

  test('quits without asking when the system ends it', async () => {
    const scripted = await open(BUSY);
    await scripted.electron.window();
    await eventually(async () => (await scripted.electron.window()).getByText('Documents').first().isVisible()).toBe(
      true,
    );
    await scripted.electron.end();
    expect(scripted.calls().at(-1)?.method).toBe('agent.stop');
  });
});
