import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TRAY_DRAWINGS } from '../../scripts/icons/tray-drawings.ts';
import type { AppState } from '../../src/ipc/state.ts';
import { Desktop, HAS_DESKTOP, HAS_NOTIFY_SEND, PANEL_HEIGHT, SCREEN } from '../helpers/desktop/desktop.ts';
import { TrayMenu } from '../helpers/desktop/tray-menu.ts';
import { PROTECTED, RUNNING } from './renderer/states.ts';
import { ELECTRON } from './electron-fixture.ts';
import { HAS_PICTURES } from './screens.ts';
import type { Script } from './scripted-agent.ts';
import { ScriptedFixture } from './scripted-fixture.ts';

const { destination: _destination, device: _device, ...WITHOUT } = PROTECTED;
const STATES: readonly (readonly [string, AppState])[] = [
  ['protected', PROTECTED],
  ['running', { ...PROTECTED, health: 'running', runs: [RUNNING] }],
  ['waiting', { ...PROTECTED, health: 'waiting' }],
  ['paused', { ...PROTECTED, health: 'paused', pause: {} }],
  ['attention', { ...PROTECTED, health: 'attention', needs: [{ kind: 'signed-out' }] }],
  ['risk', { ...PROTECTED, health: 'at-risk', needs: [{ kind: 'no-backup-for', set: 'Documents', days: 4 }] }],
  ['idle', { ...WITHOUT, health: 'not-set-up', sets: [] }],
];
const results = join(dirname(dirname(import.meta.dirname)), 'test-results/tray');
/** An icon of 24 pixels has some 300 pixels of its colour; edges and sign differ. */
const ENOUGH_PIXELS = 80;
const NEAR = 24;

/** Other processes are slow on a busy machine. */
function eventually<Value>(value: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(value, { timeout: 60_000 });
}

describe.skipIf(!ELECTRON || !HAS_DESKTOP)('tray icon', () => {
  let folder: string;
  let desktop: Desktop;
  let scripted: ScriptedFixture;
  const panels = new Map<string, string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-desktop-'));
    desktop = await Desktop.start(folder);
    scripted = await ScriptedFixture.open(scriptOf(STATES.at(-1)![1]), {
      display: desktop.display,
      environment: {
        DBUS_SESSION_BUS_ADDRESS: desktop.environment['DBUS_SESSION_BUS_ADDRESS']!,
        XDG_CURRENT_DESKTOP: 'XFCE',
      },
      words: ['--hidden'],
    });
  });

  afterAll(async () => {
    await scripted?.close();
    await desktop?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function scriptOf(state: AppState): Pick<Script, 'events'> {
    return { events: { state } };
  }

  /** Writes a picture of the screen for a person to look at. */
  async function keep(name: string, pixels: Buffer): Promise<void> {
    if (!HAS_PICTURES) return;
    const png = await scripted.electron.app.evaluate(
      ({ nativeImage }, [bitmap, size]) =>
        nativeImage.createFromBitmap(Buffer.from(bitmap, 'base64'), size).toPNG().toString('base64'),
      [pixels.toString('base64'), SCREEN] as const,
    );
    mkdirSync(results, { recursive: true });
    writeFileSync(join(results, `${name}.png`), Buffer.from(png, 'base64'));
  }

  /** Returns the area of the panel with the colour of an icon, for a light or a dark panel. */
  function placesOf(name: string, pixels: Buffer): readonly (readonly [x: number, y: number])[] {
    const { light, dark } = TRAY_DRAWINGS[name]!;
    const colours = [light, dark].map((colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));
    const locations: (readonly [number, number])[] = [];
    for (let y = 0; y < PANEL_HEIGHT; y += 1) {
      for (let x = 0; x < SCREEN.width; x += 1) {
        const at = 4 * (y * SCREEN.width + x);
        const [blue, green, red] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
        const isNear = colours.some(
          ([r, g, b]) => Math.abs(r! - red) < NEAR && Math.abs(g! - green) < NEAR && Math.abs(b! - blue) < NEAR,
        );
        if (isNear) locations.push([x, y]);
      }
    }
    return locations;
  }

  /** Returns the picture of the panel for comparison. */
  function panelOf(pixels: Buffer): string {
    return pixels.subarray(0, 4 * PANEL_HEIGHT * SCREEN.width).toString('base64');
  }

  function differing(first: Buffer, second: Buffer, from: number): number {
    let count = 0;
    for (let at = 4 * from * SCREEN.width; at < first.length; at += 4) {
      if (first.readUInt32LE(at) !== second.readUInt32LE(at)) count += 1;
    }
    return count;
  }

  /** Waits until the picture of the panel has changed, changes no more, and has enough of an icon's colour. */
  async function shownAfter(name: string, before: string): Promise<Buffer> {
    let shot = desktop.look();
    const isShown = (): boolean => {
      const previous = panelOf(shot);
      shot = desktop.look();
      const panel = panelOf(shot);
      return panel === previous && panel !== before && placesOf(name, shot).length > ENOUGH_PIXELS;
    };
    await eventually(isShown).toBe(true);
    return shot;
  }

  test.each(STATES)('shows an own colour and sign: %s', async (name, state) => {
    const before = panelOf(desktop.look());
    scripted.play(scriptOf(state));
    const shot = await shownAfter(name, before);
    panels.set(name, panelOf(shot));
    await keep(name, shot);
  });

  test('differs between states of the same colour', () => {
    expect(new Set(panels.values()).size).toBe(STATES.length);
  });

  test('has a menu', async () => {
    const idle = panelOf(desktop.look());
    scripted.play(scriptOf(STATES[1]![1]));
    const before = await shownAfter('running', idle);
    const locations = placesOf('running', before);
    const [x, y] = locations[Math.floor(locations.length / 2)]!;
    desktop.click(x, y, 3);
    let shot = before;
    const changed = (): number => {
      shot = desktop.look();
      return differing(before, shot, PANEL_HEIGHT);
    };
    await eventually(changed).toBeGreaterThan(5_000);
    await keep('menu', shot);
    desktop.click(20, SCREEN.height - 20, 1);
    await eventually(() => differing(before, desktop.look(), PANEL_HEIGHT)).toBeLessThan(500);
  });

  test('backs up, stops, pauses, resumes, opens the window and quits from its menu', async () => {
    const menu = new TrayMenu(desktop);
    const labels = (): readonly string[] => menu.labels();
    const asked = (name: string): readonly unknown[] =>
      scripted.calls().flatMap(({ method, input }) => (method === name ? [input] : []));
    scripted.play(scriptOf(PROTECTED));
    await eventually(labels).toEqual(expect.arrayContaining(['Back up “Documents” now', 'Pause', 'Open Holdfast']));
    menu.press('Back up “Documents” now');
    await eventually(() => asked('runs.backup')).toEqual([{ set: 'Documents' }]);
    const before = Date.now();
    for (const label of ['For 1 hour', 'Until tomorrow morning', 'Until I resume']) menu.press(label);
    await eventually(() => asked('runs.pause').length).toBe(3);
    const [hour, morning, open] = asked('runs.pause') as { until?: number }[];
    expect(hour!.until! - before).toBeGreaterThanOrEqual(3_600_000);
    expect(hour!.until! - before).toBeLessThan(3_660_000);
    expect(new Date(morning!.until!).getHours()).toBe(6);
    expect(open).toEqual({});

    scripted.play(scriptOf({ ...PROTECTED, health: 'paused', pause: {} }));
    await eventually(labels).toContain('Resume');
    menu.press('Resume');
    await eventually(() => asked('runs.resume')).toEqual([{}]);

    scripted.play(scriptOf({ ...PROTECTED, health: 'running', runs: [RUNNING] }));
    await eventually(labels).toContain('Stop “Documents”');
    menu.press('Stop “Documents”');
    await eventually(() => asked('runs.stop')).toEqual([{ run: RUNNING.id }]);

    const { app } = scripted.electron;
    const windows = (): number => app.windows().length;
    // Before there is a window: while one loads, the main process collects garbage, which can lose the answer to a call.
    await app.evaluate(({ dialog }) => {
      dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false });
    });
    expect(windows()).toBe(0);
    menu.press('Open Holdfast');
    await eventually(windows).toBe(1);

    // It asks during a run, and “keep running” keeps it without its window.
    menu.press('Quit Holdfast');
    await eventually(windows).toBe(0);
    expect(asked('agent.stop')).toEqual([]);
  });

  test('describes a failure, with a button where the desktop has notify-send', async () => {
    const before = desktop.look();
    scripted.play({
      events: { notice: { kind: 'backup-failed', set: 'Documents', failure: { code: 'signed_out', details: {} } } },
    });
    let shot = before;
    const changed = (): number => {
      shot = desktop.look();
      return differing(before, shot, PANEL_HEIGHT);
    };
    await eventually(changed).toBeGreaterThan(5_000);
    await keep('notification', shot);
    // Its program waits for what is pressed, until it is closed.
    const waiting = (): number => desktop.waitingNotifications().length;
    if (HAS_NOTIFY_SEND) await eventually(waiting).toBe(1);
    const close = (): number => {
      desktop.closeNotifications();
      return waiting();
    };
    await eventually(close).toBe(0);
  });
});
