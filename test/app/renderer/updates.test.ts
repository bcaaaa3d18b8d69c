import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../../src/ipc/contract/preferences.ts';
import type { UpdateState } from '../../../src/ipc/contract/update.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { PROTECTED, RUNNING } from './states.ts';
import { CHROMIUM, WindowPages, type Answers, type ShownWindow } from './window-page.ts';

const ANSWERS: Answers = {
  'preferences.save': () => ({}),
  'update.check': () => ({}),
  'update.install': () => ({ isStarted: true }),
  'update.news': () => ({
    newer: '- **Faster** backups, by `holdfast backup`.\n- [Packages](docs/packages.md).\n',
    current: '### Changed\n\n- The first version.\n',
  }),
};
const READY: UpdateState = { kind: 'ready', version: '1.2.3' };
const DATA = [
  'Anna’s laptop',
  /\/[\w/. -]+(…[\w/. -]*)?/,
  'Faster backups, by holdfast backup.',
  'Packages.',
  'The first version.',
];

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('updates in settings', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(async () => {
    await pages?.close();
  });

  async function open(update: UpdateState): Promise<ShownWindow> {
    const shown = await pages.show({ ...PROTECTED, update }, ANSWERS);
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(5).click();
    await shown.page.getByRole('tab', { name: 'About' }).click();
    return shown;
  }

  test('are looked for and installed by a press, and not during a run', async () => {
    const shown = await open({ kind: 'current' });
    const { page } = shown;
    await page.getByRole('button', { name: 'Check now' }).click();
    await shown.setState({ ...PROTECTED, update: { kind: 'downloading', version: '1.2.3', percent: 40 } });
    await page.getByText('Downloading version 1.2.3: 40%').waitFor();
    await shown.setState({ ...PROTECTED, update: READY, runs: [RUNNING] });
    await page.getByText('Version 1.2.3 is ready to be installed.').waitFor();
    await page.getByText('This is possible when the current run is done.').waitFor();
    expect(await page.getByRole('button', { name: 'Install and restart' }).isDisabled()).toBe(true);
    await shown.setState({ ...PROTECTED, update: READY });
    await page.getByRole('button', { name: 'Install and restart' }).click();
    expect([callsOf(shown, 'update.check').length, callsOf(shown, 'update.install').length]).toEqual([1, 1]);
  });

  test('that another program’s run holds up are not silently left undone', async () => {
    const shown = await pages.show(
      { ...PROTECTED, update: READY },
      { ...ANSWERS, 'update.install': () => ({ isStarted: false }) },
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('navigation').getByRole('button').nth(5).click();
    await page.getByRole('tab', { name: 'About' }).click();
    expect(await page.getByText('This is possible when the current run is done.').count()).toBe(0);
    await page.getByRole('button', { name: 'Install and restart' }).click();
    await page.getByText('This is possible when the current run is done.').waitFor();
  });

  test('are turned off by a switch, and by an administrator', async () => {
    const shown = await open({ kind: 'current' });
    const { page } = shown;
    await page.getByText('Look for updates').click();
    await expect
      .poll(() => callsOf(shown, 'preferences.save'))
      .toEqual([{ preferences: { ...DEFAULT_PREFERENCES, updates: false } }]);
    await shown.setState({ ...PROTECTED, update: { kind: 'off', by: 'administrator' } });
    await page.getByText('Your administrator has turned updates off.').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
  });

  test.each([
    [{ kind: 'package-manager' }, 'Updates come from your system’s package manager.', []],
    [{ kind: 'none' }, 'This build of Holdfast does not look for updates.', []],
    [{ kind: 'replaced' }, 'A new version is installed. Restart Holdfast to use it.', ['Restart Holdfast']],
    [{ kind: 'failed', problem: 'signature', at: 0 }, /not signed by the makers of Holdfast/, ['Check now']],
  ] as const)('of the kind %j are explained', async (update, sentence, buttons) => {
    const { page } = await open(update);
    await page.getByText(sentence).waitFor();
    for (const name of ['Check now', 'Restart Holdfast', 'Install and restart']) {
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([
        name,
        (buttons as readonly string[]).includes(name) ? 1 : 0,
      ]);
    }
  });

  test('tell what is new, and fit the window in every language', async () => {
    const shown = await open(READY);
    await expectSoundEverywhere(shown, { ...PROTECTED, update: READY }, DATA);
    await shown.setState({ ...PROTECTED, update: READY });
    const { page } = shown;
    await page.getByRole('heading', { name: 'Updates' }).scrollIntoViewIfNeeded();
    await takePictures(shown, 'panel');
    await page.getByRole('button', { name: 'What’s new…' }).click();
    await page.getByRole('heading', { name: 'Version 1.2.3' }).waitFor();
    expect(await page.getByRole('dialog').getByRole('listitem').allTextContents()).toEqual([
      'Faster backups, by holdfast backup.',
      'Packages.',
      'The first version.',
    ]);
    await takePictures(shown, 'news');
    await expectSoundEverywhere(shown, { ...PROTECTED, update: READY }, DATA);
  });
});

/** Writes what is shown to `test-results/updates`. */
async function takePictures({ page }: ShownWindow, name: string): Promise<void> {
  if (process.env['HOLDFAST_PICTURES'] !== '1') return;
  for (const [width, height, colorScheme] of [
    [720, 520, 'dark'],
    [1000, 700, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `test-results/updates/${name}-${width}.png` });
  }
}
