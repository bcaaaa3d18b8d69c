import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { visibleState } from '../../../../src/main/lock/visible-state.ts';
import type { AppState, LockState } from '../../../../src/ipc/state.ts';
import type { ActiveRun } from '../../../../src/model/run.ts';
import { DOCUMENTS, NOW, PROTECTED, RUNNING } from '../states.ts';
import { CHROMIUM, WindowPages } from '../window-page.ts';
import type { ShownWindow } from '../window-page.ts';
import { listen } from './announcements.ts';
import { WHOLE, WHOLE_ANSWERS } from './every-view.ts';

const LOCKED: LockState = { isOn: true, isLocked: true, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };

/** A whole backup, as the agent reports it: 20 states while files are scanned, 100 while they are stored, and the end. */
function* backup(): Generator<AppState> {
  const running = (run: Partial<ActiveRun>): AppState => ({
    ...PROTECTED,
    health: 'running',
    sets: [{ ...DOCUMENTS, decision: { kind: 'running', since: NOW, trigger: 'schedule' } }],
    runs: [{ ...RUNNING, ...run }],
  });
  const { bytesTotal: _, etaSeconds: __, ...unknown } = RUNNING;
  for (let part = 1; part <= 20; part += 1) {
    yield running({ ...unknown, phase: 'scanning', filesDone: part * 900, bytesDone: part * 1000 });
  }
  for (let part = 1; part <= 100; part += 1) {
    yield running({
      phase: 'uploading',
      bytesDone: part * 19_000_000,
      etaSeconds: 200 - part,
      currentPath: `/home/anna/Documents/${part}.txt`,
    });
  }
  yield running({ phase: 'committing', bytesDone: 1_900_000_000, etaSeconds: 0 });
  const ended = {
    id: RUNNING.id,
    kind: 'backup',
    outcome: 'succeeded',
    startedAt: NOW,
    endedAt: NOW,
    warnings: 0,
  } as const;
  yield { ...PROTECTED, since: NOW, sets: [{ ...DOCUMENTS, lastBackup: ended }] };
}

const SOURCES = ['src/renderer', 'src/portal', 'src/ui'].flatMap((folder) =>
  globSync(join(dirname(dirname(dirname(dirname(import.meta.dirname)))), folder, '**/*.tsx')),
);

/** Holds what waits for a second, until the test runs it. Runs in the page. */
const HOLD_SECONDS = `(() => {
  const held = (window.holdfastTestSeconds = new Set());
  const { setTimeout, clearTimeout } = window;
  window.setTimeout = (work, delay, ...rest) => (delay === 1000 ? (held.add(work), work) : setTimeout(work, delay, ...rest));
  window.clearTimeout = (timer) => held.delete(timer) || clearTimeout(timer);
})()`;

test.each(['role="status"', 'aria-live="polite"', '<output'])(
  'each %s stays exposed under lists, menus and dialogs',
  (region) => {
    const tags = SOURCES.flatMap((file) => readFileSync(file, 'utf8').match(/<[a-zA-Z][^<]*?>/g) ?? []);
    const live = tags.filter((tag) => tag.includes(region));
    expect(live).not.toEqual([]);
    expect(live.filter((tag) => !tag.includes('data-live-announcer'))).toEqual([]);
  },
);

test('a wait says so in words, also before anything is known', () => {
  const waits = SOURCES.flatMap((file) => readFileSync(file, 'utf8').match(/<Wait\b[^>]*>/g) ?? []);
  expect(waits).not.toEqual([]);
  // Orca reads “…” as “horizontal ellipsis”.
  expect(waits.filter((wait) => !wait.includes('label={'))).toEqual([]);
});

describe.skipIf(CHROMIUM === undefined)('live regions', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state: AppState): Promise<ShownWindow> {
    const shown = await pages.show(state, WHOLE_ANSWERS);
    onTestFinished(() => shown.close());
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    return shown;
  }

  test.each([
    ['Home', 1],
    ['Activity', 4],
  ])('announce a backup in six sentences while %s is shown', async (_view, key) => {
    const shown = await open(PROTECTED);
    await shown.page.keyboard.press(`Control+${key}`);
    await shown.page.locator(`nav li:nth-child(${key}) [aria-current=page]`).waitFor();
    await shown.page.locator('.ui-wait').first().waitFor({ state: 'detached' });
    const said = await listen(shown.page);
    for (const state of backup()) await shown.setState(state);
    const end = 'Backup of “Documents”: Done.';
    await expect.poll(() => shown.page.locator('[data-part=run-news]').textContent()).toBe(end);
    expect([...(await said())].toSorted()).toEqual(
      [
        'Running',
        'Backing up “Documents”: scanning files.',
        'Backing up “Documents”: 25%.',
        'Backing up “Documents”: 50%.',
        'Backing up “Documents”: 75%.',
        'Protected',
        end,
      ].toSorted(),
    );
  });

  test('announce a backup in two sentences while the window is locked', async () => {
    const shown = await open(visibleState(PROTECTED, LOCKED));
    const said = await listen(shown.page);
    for (const state of backup()) await shown.setState(visibleState(state, LOCKED));
    await shown.page.getByText('Your files are protected.').waitFor();
    expect(await said()).toEqual(['A backup is running.', 'Your files are protected.']);
  });

  test('say of a locked window, too, that the backups are on the disk of the files', async () => {
    const destinations = PROTECTED.destinations.map((one) => ({ ...one, isOnSourceDisk: true }));
    const shown = await open(visibleState({ ...PROTECTED, destinations }, LOCKED));
    await shown.page.getByText('Your files are protected, unless this disk fails.').first().waitFor();
  });

  test.each([
    ['a list', /^Backup set/],
    ['a menu', 'More ways to get files'],
    ['a dialog', 'Restore everything…'],
  ])('say nothing again when %s closes', async (_what, name) => {
    const { page } = await open(WHOLE);
    await page.keyboard.press('Control+3');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
    const said = await listen(page);
    await page.locator('main').getByRole('button', { name }).press('Enter');
    const opened = page.locator('[role=listbox], [role=menu], [role=dialog]');
    await opened.first().waitFor();
    await said();
    await page.keyboard.press('Escape');
    await expect.poll(() => opened.count()).toBe(0);
    expect(await said()).toEqual([]);
  });

  test('say that nothing is chosen once, and not in each folder that opens then', async () => {
    const { page } = await open(WHOLE);
    await page.keyboard.press('Control+3');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
    const grid = page.getByRole('grid');
    const said = await listen(page);
    await grid.press('Space');
    await page.getByRole('button', { name: 'Clear' }).waitFor();
    await grid.press('Space');
    await page.getByRole('button', { name: 'Clear' }).waitFor({ state: 'detached' });
    expect((await said()).filter((text) => text.startsWith('Nothing chosen'))).toEqual(['Nothing chosen.']);
    await grid.press('Enter');
    await page.getByRole('list', { name: 'Folder' }).getByText('Documents').waitFor();
    await page.locator('.ui-skeleton').first().waitFor({ state: 'detached' });
    await grid.press('Backspace');
    await page.getByRole('row', { name: /Documents/ }).waitFor();
    expect((await said()).filter((text) => text.startsWith('Nothing chosen'))).toEqual([]);
  });

  test('keep the focus in Home when “Back up now” vanishes, and say once that the backup failed', async () => {
    const shown = await pages.show(PROTECTED, { ...WHOLE_ANSWERS, 'runs.backup': () => ({ run: RUNNING.id }) });
    onTestFinished(() => shown.close());
    const { page } = shown;
    const said = await listen(page);
    await page.getByRole('button', { name: 'Back up now' }).press('Enter');
    await shown.setState({ ...PROTECTED, health: 'running', runs: [{ ...RUNNING, phase: 'scanning' }] });
    await page.getByRole('button', { name: 'Back up now' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
    const failure = { code: 'destination_missing', details: { directory: '/media/anna/Backup disk' } } as const;
    const lastBackup = {
      id: RUNNING.id,
      kind: 'backup',
      outcome: 'failed',
      startedAt: NOW,
      endedAt: NOW,
      warnings: 0,
    } as const;
    await shown.setState({
      ...PROTECTED,
      health: 'attention',
      needs: [{ kind: 'failed', set: DOCUMENTS.name, at: NOW, failure }],
      sets: [{ ...DOCUMENTS, lastBackup }],
    });
    const end = 'Backup of “Documents”: Failed.';
    await expect.poll(() => page.locator('[data-part=run-news]').textContent()).toBe(end);
    const expected = ['Running', 'Backing up “Documents”: scanning files.', 'Needs attention', end];
    expect([...(await said())].toSorted()).toEqual(expected.toSorted());
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
  });

  test('say once that a mount is open, is being closed, and is used by a program', async () => {
    const shown = await pages.show(PROTECTED, { ...WHOLE_ANSWERS, 'mounts.end': () => ({}) });
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    const mount = { id: 3, set: 'Documents', folder: '/mounts/Documents', since: NOW, isEnding: false, isBusy: false };
    const said = await listen(page);
    await shown.setState({ ...PROTECTED, mounts: [mount] });
    const close = page.getByRole('button', { name: 'Close “Documents”' });
    await close.waitFor();
    expect(await said()).toEqual([expect.stringMatching(/^“Documents” is open/)]);
    await close.press('Enter');
    await shown.setState({ ...PROTECTED, mounts: [{ ...mount, isEnding: true }] });
    await close.waitFor({ state: 'detached' });
    expect(await said()).toEqual([expect.stringMatching(/^Closing “Documents”/)]);
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
    await shown.setState({ ...PROTECTED, mounts: [{ ...mount, isEnding: true, isBusy: true }] });
    await page.getByRole('button', { name: 'Close “Documents” anyway' }).waitFor();
    expect(await said()).toHaveLength(1);
    await shown.setState(PROTECTED);
    await page.getByRole('button', { name: 'Close “Documents” anyway' }).waitFor({ state: 'detached' });
    expect(await said()).toEqual([]);
  });

  test('say that something loads only if that takes a second', async () => {
    const shown = await pages.show(WHOLE, { ...WHOLE_ANSWERS, 'security.state': () => new Promise(() => undefined) });
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(HOLD_SECONDS);
    const said = await listen(page);
    await page.keyboard.press('Control+6');
    for (const name of ['Destination', 'About', 'Security']) {
      await page.getByRole('tab', { name }).press('Enter');
      await page.getByRole('tab', { name, selected: true }).waitFor();
      // The part of Security waits for an answer that does not come.
      await expect.poll(async () => (await page.locator('.ui-wait').count()) > 0).toBe(name === 'Security');
    }
    expect((await said()).filter((text) => text === 'One moment…')).toEqual([]);
    await page.evaluate('for (const work of window.holdfastTestSeconds) work()');
    await expect.poll(async () => new Set(await said())).toEqual(new Set(['One moment…']));
  });

  test('announce the wait after wrong passwords once, not each second', async () => {
    const shown = await open(visibleState(PROTECTED, LOCKED));
    await shown.stopClock();
    const said = await listen(shown.page);
    const timer = shown.page.getByRole('timer');
    await shown.setState(visibleState(PROTECTED, { ...LOCKED, waitUntil: NOW + 600_000 }));
    await timer.waitFor();
    const first = await timer.textContent();
    await shown.page.clock.runFor(3_000);
    await expect.poll(() => timer.textContent()).not.toBe(first);
    expect(await said()).toHaveLength(1);
  });
});
