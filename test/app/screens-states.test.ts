import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { RESTORE_REPORT } from './renderer/activity-answers.ts';
import { HOME_STATES } from './renderer/home-states.ts';
import { FOLDERS, POINTS } from './renderer/restore-answers.ts';
import { AT_SERVICE, BACKUP_DISK, NOW, PROTECTED, RUNNING } from './renderer/states.ts';
import { ELECTRON } from './electron-fixture.ts';
import { Screens } from './screens.ts';
import { ScriptedFixture } from './scripted-fixture.ts';

const OWN = { id: 'dev_1', name: 'Anna’s laptop', platform: 'Debian 13', isThisOne: true, status: 'healthy' };
const STUDIO = { id: 'dev_2', name: 'Studio', platform: 'macOS 26', isThisOne: false, status: 'offline' };
const ROWS = Array.from({ length: FOLDERS['']!.total }, (_, index) => FOLDERS['']!.row(index));
const ANSWERS = {
  'activity.list': { runs: [], hasMore: false },
  'devices.list': { devices: [OWN, STUDIO], canRevoke: true },
  'restore.sources': { sources: [{ set: 'Documents', device: 'dev_1', deviceName: 'Anna’s laptop' }] },
  'restore.points': { points: POINTS.slice(0, 12) },
  'restore.open': { listing: 'root' },
  'restore.rows': { entries: ROWS, total: ROWS.length, isComplete: true, isSorted: true },
  'restore.plan': { files: 414, bytes: 940_000_000, conflicts: [], freeBytes: 812_000_000_000 },
  'restore.start': { run: 21 },
  'activity.run': {
    run: {
      id: 21,
      kind: 'restore',
      set: 'Documents',
      destination: BACKUP_DISK.id,
      outcome: 'warnings',
      startedAt: NOW - 60_000,
      endedAt: NOW,
      warnings: 1,
    },
    steps: [],
    report: RESTORE_REPORT,
  },
};

describe.skipIf(!ELECTRON)('states of the views', () => {
  let scripted: ScriptedFixture;
  beforeAll(async () => {
    scripted = await ScriptedFixture.open({ events: { state: PROTECTED }, answers: ANSWERS });
  });
  afterAll(() => scripted?.close());

  const sendState = (state: AppState): void => scripted.play({ events: { state }, answers: ANSWERS });
  async function screens(): Promise<Screens> {
    const page = await scripted.electron.window();
    page.setDefaultTimeout(90_000);
    return new Screens(scripted.electron, page);
  }

  test('shows Home running, waiting, failed and at risk, in English and German', async () => {
    const looks = await screens();
    const page = await scripted.electron.window();
    const found: string[] = [];
    const states = [
      'running',
      'a restore that goes on',
      'a restore that waits',
      'scanning',
      'waiting',
      'paused',
      'attention',
      'at risk',
      'suspicious',
      'empty',
    ];
    for (const name of states) {
      const state = HOME_STATES[name]!;
      for (const language of name === 'running' || name === 'at risk' ? (['en', 'de'] as const) : (['en'] as const)) {
        sendState({ ...state, preferences: { ...state.preferences, language } });
        await page.locator(`html[lang^=${language}]`).waitFor();
        await page.getByRole('heading').first().waitFor();
        found.push(...(await looks.look(`home-${name.replaceAll(' ', '-')}-${language}`)));
      }
    }
    expect(found).toEqual([]);
  }, 600_000);

  test('shows an empty activity, failed files and a revoked computer', async () => {
    const looks = await screens();
    const page = await scripted.electron.window();
    const found: string[] = [];
    const go = (name: string): Promise<void> => page.getByRole('navigation').getByRole('button', { name }).click();
    sendState(AT_SERVICE);
    await page.locator('html[lang^=en]').waitFor();
    await go('Activity');
    await page.getByRole('main').getByRole('heading').first().waitFor();
    found.push(...(await looks.look('activity-empty')));

    await go('Devices');
    await page.getByRole('button', { name: 'Revoke Studio' }).click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await looks.look('devices-revoke')));
    await page.keyboard.press('Escape');

    await go('Restore');
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await scripted.electron.app.evaluate(({ dialog: system }) => {
      system.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: ['/home/anna/Restored'] });
    });
    await dialog.getByText('Another folder').click();
    await dialog.getByRole('button', { name: 'Choose folder…' }).click();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('heading', { name: 'Partly restored' }).waitFor();
    await page
      .getByText(/microscope-2026\.tiff/)
      .first()
      .waitFor();
    found.push(...(await looks.look('restore-failures')));
    expect(found).toEqual([]);
  }, 600_000);

  test('shows the locked window, also during a run', async () => {
    const looks = await screens();
    const page = await scripted.electron.window();
    const found: string[] = [];
    expect(await scripted.electron.ask('lock.set-password', { password: 'correct horse' })).toMatchObject({ ok: true });
    await scripted.electron.app.evaluate(({ Menu }) => {
      const items = Menu.getApplicationMenu()!.items.flatMap(({ submenu }) => submenu?.items ?? []);
      items.find(({ label }) => label === 'Lock now')!.click();
    });
    await page.getByRole('heading', { name: 'Holdfast is locked' }).waitFor();
    found.push(...(await looks.look('locked')));
    sendState({ ...AT_SERVICE, health: 'running', runs: [RUNNING] });
    await page
      .getByRole('status')
      .getByText(/is running/)
      .waitFor();
    found.push(...(await looks.look('locked-running')));
    expect(found).toEqual([]);
  }, 600_000);
});
