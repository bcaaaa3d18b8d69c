import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { RestoreRequest } from '../../../src/model/restore-request.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { entryAt, POINTS, restoreAnswers, RESTORING, ROOT } from './restore-answers.ts';
import { BACKUP_DISK, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const BUSY: AppState = {
  ...RESTORING,
  runs: [{ ...RESTORING.runs[0]!, kind: 'backup', trigger: 'schedule', set: 'Photos' }],
};

describe.skipIf(CHROMIUM === undefined)('restore selection', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers?: Answers, state: AppState = PROTECTED, view = 2): Promise<ShownWindow> {
    const shown = await pages.show(state, restoreAnswers(answers));
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(view).click();
    return shown;
  }

  test('leaves single entries out of a folder, with exact sizes', async () => {
    const shown = await open();
    const { page } = shown;
    await choose(page, 0);
    await page.getByText('1 folder chosen (1 GB)').waitFor();
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    expect(await marks(page)).toEqual(Array.from({ length: 8 }, () => 'on'));
    await choose(page, 0);
    await choose(page, 7);
    await page.getByText('1 folder chosen (899 MB) without 2 entries').waitFor();
    expect(await marks(page)).toEqual(['off', ...Array.from({ length: 6 }, () => 'on'), 'off']);

    // An entry inside of an excluded folder can be selected again.
    await choose(page, 2);
    await page.getByText('without 3 entries').waitFor();
    await rowOf(page, 2).dblclick();
    await rowOf(page, 1).waitFor();
    expect(await marks(page)).toEqual(['off', 'off']);
    await choose(page, 0);
    await page.getByText('2 folders chosen (809 MB) without 3 entries').waitFor();
    await page.getByRole('link', { name: 'Documents' }).click();
    await rowOf(page, 7).waitFor();
    expect((await marks(page)).slice(0, 4)).toEqual(['off', 'on', 'partly', 'on']);
    await page.getByRole('link', { name: 'All folders' }).click();
    await expect.poll(() => marks(page)).toEqual(['partly']);

    await page.getByRole('button', { name: 'Restore…' }).click();
    await page.getByRole('dialog').getByText('without 3 entries').waitFor();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByText('5 files (420 MB) restored to /home/anna/Restored.').waitFor();
    const { paths, without } = asked(shown, 'restore.start')[0] as RestoreRequest;
    expect(paths).toEqual([ROOT, `${ROOT}/Thesis/figures`]);
    expect(without).toEqual(['Archive', 'tax return.pdf', 'Thesis'].map((name) => `${ROOT}/${name}`));
    expect(asked(shown, 'restore.plan').at(-1)).toMatchObject({ paths, without });
    await page.getByRole('button', { name: 'Done' }).click();

    // A press on the box of a partly selected folder selects all of it.
    await choose(page, 0);
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await choose(page, 1);
    await page.getByRole('link', { name: 'All folders' }).click();
    await expect.poll(() => marks(page)).toEqual(['partly']);
    await choose(page, 0);
    await page.getByText('1 folder chosen (1 GB)').waitFor();
    expect(await page.getByText(/without/).count()).toBe(0);
  });

  test('restores the current row while nothing is chosen, and names it', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await rowOf(page, 2).click();
    await page.getByRole('button', { name: 'Restore “Thesis”…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Thesis').first().waitFor();
    await expect.poll(() => asked(shown, 'restore.plan').at(-1)).toMatchObject({ paths: [`${ROOT}/Thesis`] });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await rowOf(page, 3).click();
    await page.getByRole('button', { name: 'Restore “budget 2026.ods”…' }).waitFor();

    // What is ticked comes first.
    await choose(page, 6);
    await page.getByText('1 file chosen (9.12 kB)').waitFor();
    expect(await page.getByRole('button', { name: /Restore “/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Restore “notes.md”…' }).waitFor();
    expect(await page.getByRole('button', { name: 'Restore everything…' }).isEnabled()).toBe(true);
  });

  test('asks for the current row as it was before today in one press', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await rowOf(page, 2).click();
    await page.getByRole('button', { name: 'Restore “Thesis”…' }).click();
    const times = page.getByRole('dialog').getByRole('radiogroup', { name: 'Restore point' }).getByRole('radio');
    await expect.poll(() => times.first().isChecked()).toBe(true);
    await times.nth(1).check({ force: true });
    await expect
      .poll(() => asked(shown, 'restore.plan').at(-1))
      .toMatchObject({
        paths: [`${ROOT}/Thesis`],
        at: expect.toSatisfy((at: number) => at < Date.parse(POINTS[0]!.restorePoint)),
      });
    expect(await times.nth(1).isChecked()).toBe(true);
  });

  test('begins where a file manager asks for previous versions', async () => {
    const located = (path: string): Answers => ({
      'sets.locate': ({ path: asked }) =>
        asked === path ? { found: { set: 'Documents', root: ROOT, path, isFolder: path === `${ROOT}/Thesis` } } : {},
    });
    const shown = await pages.show(PROTECTED, restoreAnswers(located(`${ROOT}/Thesis/thesis.tex`)));
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await shown.ask({ previousVersions: `${ROOT}/Thesis/thesis.tex` });
    await page.getByRole('heading', { level: 1, name: 'Restore' }).waitFor();
    await page.getByText('1 file chosen (240 kB)').waitFor();
    expect(
      await page.getByRole('navigation', { name: /Path/ }).or(page.locator('.restore-crumbs')).innerText(),
    ).toMatch(/Documents\s+Thesis$/);
    await shown.ask({ previousVersions: '/home/anna/elsewhere' });
    const message = page.getByText(/No backup set includes \/home\/anna\/elsewhere/);
    await message.waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await message.waitFor({ state: 'detached' });
  });

  test('opens the folder that a file manager asks for', async () => {
    const path = `${ROOT}/Thesis`;
    const shown = await pages.show(
      PROTECTED,
      restoreAnswers({ 'sets.locate': () => ({ found: { set: 'Documents', root: ROOT, path, isFolder: true } }) }),
    );
    onTestFinished(() => shown.close());
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    await shown.ask({ previousVersions: path });
    await shown.page.getByText('thesis.tex').waitFor();
    await shown.page.getByRole('row', { name: /^figures/ }).waitFor();
    expect(shown.calls.findLast(({ name }) => name === 'restore.open')?.input).toMatchObject({ path });
  });

  test('shows when the size of a folder is unknown and when it becomes known', async () => {
    const measured = Promise.withResolvers<void>();
    const { page } = await open({
      'restore.rows': () => {
        const { within: _within, ...entry } = entryAt(ROOT)!;
        return { entries: [entry], total: 1, isComplete: true, isSorted: true };
      },
      'restore.find': async ({ paths }) => {
        await measured.promise;
        return { entries: paths.map((path) => entryAt(path)!) };
      },
    });
    await choose(page, 0);
    await page.getByText('1 folder chosen').waitFor();
    measured.resolve();
    await page.getByText('1 folder chosen (1 GB)').waitFor();
  });

  test('keeps the selection in another restore point as far as it exists there', async () => {
    const shown = await open({
      'restore.find': ({ paths, restorePoint }) => {
        const isNewest = restorePoint === POINTS[0]!.restorePoint;
        const isOld = restorePoint === POINTS[2]!.restorePoint;
        const there = paths.filter((path) => isNewest || (!isOld && !path.endsWith('.md')));
        return { entries: there.map((path) => entryAt(path)!) };
      },
    });
    const { page } = shown;
    await rowOf(page, 0).dblclick();
    await rowOf(page, 7).waitFor();
    await choose(page, 3);
    await choose(page, 6);
    await page.getByText('2 files chosen (57.2 kB)').waitFor();
    const older = page.getByRole('button', { name: 'Older restore point' });
    await older.click();
    await page.getByText('One chosen item did not exist at this time and is left out.').waitFor();
    await page.getByText('1 file chosen (48.1 kB)').waitFor();
    await older.click();
    await page.getByText('Nothing you chose existed at this time. Choose another time or other items.').waitFor();
    expect(await page.getByRole('button', { name: 'Restore…' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Newer restore point' }).click();
    await page.getByText('1 file chosen (48.1 kB)').waitFor();
    await page.getByRole('button', { name: 'Restore…' }).click();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByText('1,204 files, 3.4 GB will be written.').waitFor();
    expect(asked(shown, 'restore.plan').at(-1)).toMatchObject({
      at: Date.parse(POINTS[1]!.restorePoint),
      paths: [`${ROOT}/budget 2026.ods`],
    });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Newer restore point' }).click();
    await page.getByText('2 files chosen (57.2 kB)').waitFor();
  });

  test('waits for the active run, and can be cancelled', async () => {
    let waiting: RestoreRequest | undefined;
    const shown = await open(
      {
        'restore.later': (request) => {
          waiting = request;
          return {};
        },
        'restore.waiting': () => (waiting ? { request: waiting } : {}),
        'restore.forget': () => {
          waiting = undefined;
          return {};
        },
      },
      BUSY,
    );
    const { page } = shown;
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('“Photos” is being backed up. The restore begins as soon as that has finished.').waitFor();
    await dialog.getByText('Another folder').click();
    await dialog.getByRole('button', { name: 'Choose folder…' }).click();
    await dialog.getByText('1,204 files, 3.4 GB will be written.').waitFor();
    await dialog.getByRole('button', { name: 'Restore afterwards' }).click();
    const sentence =
      '“Documents” will be restored to /home/anna/Restored as soon as the backup of “Photos” has finished.';
    await page.getByText(sentence).waitFor();
    expect(waiting).toMatchObject({ set: 'Documents', to: '/home/anna/Restored' });
    expect(asked(shown, 'restore.start')).toEqual([]);
    expect(await shown.faults()).toEqual([]);
    await page.getByRole('button', { name: 'Do not restore' }).click();
    await page.getByText(sentence).waitFor({ state: 'detached' });
    expect(waiting).toBeUndefined();

    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByRole('button', { name: 'Restore afterwards' }).click();
    await page.getByText(sentence).waitFor();
    waiting = undefined;
    await shown.setState(RESTORING);
    await page.getByRole('progressbar').waitFor();
    await page.getByText(sentence).waitFor({ state: 'detached' });
  });

  test('waits for another program, and shows why it could not start', async () => {
    const shown = await open({
      'restore.start': () => {
        throw new HoldfastError('home_busy', { command: 'backup Photos', pid: 1 });
      },
      'restore.waiting': () => ({ failure: { code: 'set_unknown', details: { set: 'Documents', known: [] } } }),
    });
    const { page } = shown;
    await page.getByText('A restore is unfinished and will not resume automatically.').waitFor();
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    await page.getByText('Another folder').click();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByText(/Another program is using your backups\./).waitFor();
    await page.getByRole('button', { name: 'Restore afterwards' }).click();
    await expect.poll(() => asked(shown, 'restore.later').length).toBe(1);
  });

  test('is prepared again from a run in Activity', async () => {
    const request: RestoreRequest = {
      set: 'Documents',
      at: Date.parse(POINTS[5]!.restorePoint),
      paths: [ROOT],
      without: [`${ROOT}/Archive`],
      to: '/home/anna/There',
      conflict: 'overwrite',
    };
    const run = {
      id: 7,
      kind: 'restore',
      destination: BACKUP_DISK.id,
      set: 'Documents',
      outcome: 'failed',
      startedAt: NOW,
      endedAt: NOW,
      warnings: 0,
    } as const;
    const shown = await open(
      {
        'activity.list': () => ({ runs: [run], hasMore: false }),
        'activity.run': () => ({ run, steps: [], request }),
      },
      PROTECTED,
      3,
    );
    const { page } = shown;
    await page.getByText('Restore from “Documents”').click();
    await page.getByRole('button', { name: 'Restore again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog.getByText('without 1 entry').waitFor();
    await dialog.getByText('/home/anna/There').waitFor();
    await dialog.getByText('2 items already exist and will be replaced.').waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await expect.poll(() => asked(shown, 'restore.start')).toEqual([{ ...request, device: 'dev_1' }]);
  });

  test('does not start when it is refused, and is prepared again when nothing was restored', async () => {
    let isRefused = true;
    const run = {
      id: 21,
      kind: 'restore',
      destination: BACKUP_DISK.id,
      set: 'Documents',
      startedAt: NOW,
      endedAt: NOW,
      warnings: 0,
    } as const;
    const failure = {
      code: 'target_full',
      details: { target: '/home/anna/Restored', needed: 5e9, free: 1e9 },
    } as const;
    const shown = await open({
      'restore.plan': () => {
        if (isRefused) throw new HoldfastError('target_unwritable', { target: '/home/anna/Restored' });
        return { files: 1, bytes: 5e9, conflicts: [] };
      },
      'activity.run': () => ({ run: { ...run, outcome: 'failed', failure }, steps: [] }),
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Another folder').click();
    await dialog.getByRole('button', { name: 'Choose folder…' }).click();
    await dialog.getByText(/cannot be written to/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Start restoring' }).isDisabled()).toBe(true);
    isRefused = false;
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('heading', { name: 'Not restored' }).waitFor();
    expect(await page.getByRole('button', { name: 'Show in file manager' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Change and try again…' }).click();
    await dialog.getByText('Everything in this restore point').waitFor();
    await dialog.getByRole('button', { name: 'Other folder…' }).waitFor();
  });

  test('does not start before its plan is known', async () => {
    const planned = Promise.withResolvers<void>();
    const answers = restoreAnswers();
    const { page } = await open({
      'restore.plan': async (request) => {
        await planned.promise;
        return await answers['restore.plan']!(request);
      },
    });
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    const start = page.getByRole('dialog').getByRole('button', { name: 'Start restoring' });
    await page.getByText('Calculating what would be written…').waitFor();
    expect(await start.isDisabled()).toBe(true);
    planned.resolve();
    await expect.poll(() => start.isEnabled()).toBe(true);
  });

  test('is not prepared for another restore point when its own was removed', async () => {
    const request: RestoreRequest = {
      set: 'Documents',
      at: Date.parse('2020-01-01T00:00:00.000Z'),
      paths: [],
      to: '/there',
    };
    const run = {
      id: 7,
      kind: 'restore',
      destination: BACKUP_DISK.id,
      set: 'Documents',
      outcome: 'failed',
      startedAt: NOW,
      endedAt: NOW,
      warnings: 0,
    } as const;
    const { page } = await open(
      {
        'activity.list': () => ({ runs: [run], hasMore: false }),
        'activity.run': () => ({ run, steps: [], request }),
      },
      PROTECTED,
      3,
    );
    await page.getByText('Restore from “Documents”').click();
    await page.getByRole('button', { name: 'Restore again…' }).click();
    await page.getByText('The restore point you were looking for no longer exists. This is the newest.').waitFor();
    await rowOf(page, 0).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

function rowOf(page: Page, index: number): ReturnType<Page['locator']> {
  return page.locator(`[role=row][data-index="${index}"]`);
}

function choose(page: Page, index: number): Promise<void> {
  return rowOf(page, index).locator('[data-part=choose]').click();
}

function marks(page: Page): Promise<(string | null)[]> {
  const boxes = page.locator('[role=row][data-index] .ui-tick');
  return boxes.evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
    all.map((box) => box.getAttribute('data-state')),
  );
}

function asked({ calls }: ShownWindow, method: string): unknown[] {
  return calls.filter(({ name }) => name === method).map(({ input }) => input);
}
