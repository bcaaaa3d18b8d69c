import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { ListedRun } from '../../../src/ipc/contract/activity.ts';
import type { CheckResult } from '../../../src/ipc/contract/restore/check.ts';
import type { RunReport } from '../../../src/ipc/contract/restore/restore.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import type { ActiveRun } from '../../../src/model/run.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { BACKUP_DISK, DOCUMENTS, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

/** Folder for screenshots, for people to look at. */
const LOOKS = process.env['HOLDFAST_LOOKS'];
const POINT = new Date(NOW - 3_600_000).toISOString();
const EARLIER = new Date(NOW - 7_200_000).toISOString();
const PACK = 'packs/3f/3f9a1c5be0d94b6d8b0f6b2a';

const FOUND: CheckResult = {
  restorePoints: 41,
  findings: [
    { file: PACK, problem: 'missing', isMendable: true },
    { file: 'ledger/anna/7', problem: 'signature' },
  ],
  findingsTotal: 2,
  losses: [
    loss('/home/anna/Documents/Thesis/microscope.tiff', true),
    { ...loss('/home/anna/Documents/Thesis/microscope.tiff', true), restorePoint: EARLIER },
    loss('/home/anna/Documents/old.txt', false),
    { ...loss('/home/anna/Pictures/1.jpg', false), device: 'dev_9', deviceName: undefined, entries: 312 },
    loss('/.holdfast/keys', false),
  ],
  lossesTotal: 316,
  lostFiles: 315,
  isListSound: false,
  isStoredOnce: false,
};
const REPAIRED: CheckResult = {
  ...FOUND,
  findings: [],
  findingsTotal: 0,
  isListSound: true,
  repair: {
    found: 2,
    moved: 1,
    mended: 1,
    shown: 2,
    recovered: [{ device: 'dev_1', set: 'Documents', restorePoint: POINT }],
    lost: [{ device: 'dev_1', deviceName: 'Anna’s laptop', set: 'Documents', restorePoint: POINT }],
    mayIncludeRemoved: true,
  },
};
const SOUND: CheckResult = {
  restorePoints: 41,
  findings: [],
  findingsTotal: 0,
  losses: [],
  lossesTotal: 0,
  lostFiles: 0,
  isListSound: true,
  isStoredOnce: false,
};

function loss(path: string, isHere: boolean): CheckResult['losses'][number] {
  return {
    device: 'dev_1',
    deviceName: 'Anna’s laptop',
    set: 'Documents',
    restorePoint: POINT,
    path,
    entries: 1,
    isHere,
    isOtherHere: !isHere && path.endsWith('old.txt'),
  };
}

const run = (id: number, kind: 'check' | 'repair', outcome: ListedRun['outcome']): ListedRun => ({
  id,
  kind,
  outcome,
  set: '',
  startedAt: NOW - 600_000,
  endedAt: NOW - 300_000,
  warnings: 0,
  trigger: 'person',
  destination: BACKUP_DISK.id,
});
const report = (check: CheckResult): RunReport => ({
  files: 1_204,
  bytes: 18e9,
  bytesTransferred: 1.8e9,
  seconds: 300,
  warnings: [],
  failures: [],
  failuresTotal: 0,
  filesFailed: 0,
  check,
});
const RESULTS: Readonly<Record<number, readonly [ListedRun, RunReport]>> = {
  1: [run(1, 'check', 'failed'), report(FOUND)],
  2: [run(2, 'repair', 'warnings'), report(REPAIRED)],
  3: [run(3, 'check', 'succeeded'), report(SOUND)],
  4: [run(4, 'check', 'succeeded'), report({ ...SOUND, isStoredOnce: true })],
};
const ANSWERS: Answers = {
  'runs.check': () => ({ run: 1 }),
  'runs.repair': () => ({ run: 2 }),
  'runs.backup': () => ({ run: 2 }),
  'activity.run': ({ run: id }) => {
    const [shown, its] = RESULTS[id]!;
    return { run: shown, steps: [{ state: 'planning', at: NOW - 600_000 }], report: its };
  },
  'activity.list': () => ({ runs: Object.values(RESULTS).map(([shown]) => shown), hasMore: false }),
  'destination.former': () => ({ destinations: [] }),
};
const DAMAGED: AppState = { ...PROTECTED, health: 'at-risk', needs: [{ kind: 'destination-damaged', run: 1 }] };
const ACTIVE: ActiveRun = {
  id: 1,
  kind: 'check',
  set: '',
  trigger: 'person',
  startedAt: NOW - 60_000,
  phase: 'downloading',
  filesDone: 120,
  filesTotal: 1_204,
  bytesDone: 2e9,
  bytesTotal: 18e9,
};

describe.skipIf(!CHROMIUM)('a check and a repair of the destination', () => {
  let pages: WindowPages;
  let shown: ShownWindow;
  beforeAll(async () => {
    pages = await WindowPages.open();
  }, 120_000);
  afterAll(() => pages?.close());

  async function open(state: AppState, answers: Answers = {}, options: PageOptions = {}): Promise<ShownWindow['page']> {
    shown = await pages.show(state, { ...ANSWERS, ...answers }, options);
    return shown.page;
  }
  const inputs = (name: string): readonly unknown[] =>
    shown.calls.filter((one) => one.name === name).map(({ input }) => input);

  test('shows what is damaged and lost, and repairs it', async () => {
    const page = await open(DAMAGED);
    await page.getByRole('button', { name: 'Show and repair' }).click();
    await page.getByRole('heading', { level: 1, name: 'Check of the destination' }).waitFor();
    await page.getByText('Damage found').waitFor();
    await page.getByText(/2 files of the destination are damaged or missing\./).waitFor();
    await page.getByText(/315 files are missing.* 1 of them is still on this computer/).waitFor();
    const lost = page.getByRole('region', { name: 'Lost files' }).getByRole('listitem');
    await expect.poll(() => lost.count()).toBe(4);
    expect(await lost.allInnerTexts()).toEqual([
      expect.stringMatching(
        /microscope\.tiff\n“Documents” of Anna’s laptop, 2 restore points, .* to .* · Still on this computer/,
      ),
      expect.stringMatching(/old\.txt\n“Documents” of Anna’s laptop, [^·]* · Another version is on this computer$/),
      expect.stringMatching(/1\.jpg and 311 more files\n“Documents” of dev_9/),
      expect.stringMatching(/^The entire restore point\n/),
    ]);
    await page.getByRole('region', { name: 'Damaged files at the destination' }).getByText('Wrong signature').waitFor();
    await page.getByText('Missing · Can be repaired from parity data').waitFor();
    await page.getByRole('button', { name: 'Repair…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Repair' }).click();
    await page.getByRole('heading', { level: 1, name: 'Repair of the destination' }).waitFor();
    await page.getByText('1 file has all bytes again, by parity.').waitFor();
    await page.getByText('1 restore point is back. They may include restore points that you removed.').waitFor();
    await page.getByRole('heading', { name: '1 restore point is lost.' }).waitFor();
    expect(await page.getByRole('button', { name: 'Repair…' }).count()).toBe(0);
    expect(inputs('runs.repair')).toEqual([{}]);
    // What this computer still has is stored again at once.
    await page.getByRole('button', { name: 'Back up now' }).click();
    expect(inputs('runs.backup')).toEqual([{ set: 'Documents' }]);
    await shown.close();
  });

  test('says that lists of files are stored once, although there is no damage', async () => {
    const page = await open(PROTECTED, { 'runs.check': () => ({ run: 4 }) });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Destination' }).click();
    await page.getByRole('button', { name: 'Check this destination…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Check' }).click();
    await page.getByText('No damage was found.').waitFor();
    expect(await page.getByText(/stored once instead of twice/).isVisible()).toBe(true);
    await shown.close();
  });

  test('starts in Settings, with as much reading as the person wants', async () => {
    const page = await open(PROTECTED);
    for (const [choice, input] of [
      [undefined, {}],
      ['All data', { readPercent: 100 }],
      ['A sample of the data', { readPercent: 25 }],
    ] as const) {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('tab', { name: 'Destination' }).click();
      await page.getByRole('button', { name: 'Check this destination…' }).click();
      if (choice !== undefined)
        await page.getByRole('radio', { name: new RegExp(`^${choice} `) }).check({ force: true });
      if (choice === 'A sample of the data') await page.getByRole('textbox', { name: 'Share (%)' }).fill('25');
      await page.getByRole('dialog').getByRole('button', { name: 'Check' }).click();
      await page.getByRole('heading', { level: 1, name: 'Check of the destination' }).waitFor();
      expect(inputs('runs.check').at(-1)).toEqual(input);
    }
    await shown.setState({ ...PROTECTED, health: 'running', runs: [ACTIVE] });
    await page.getByText('Checking stored data').first().waitFor();
    await page
      .getByText(/^2\sGB of 18\sGB/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Destination' }).click();
    expect(await page.getByRole('button', { name: 'Check this destination…' }).isDisabled()).toBe(true);
    await shown.close();
  });

  test.each([
    ['a backup that met damage', { kind: 'failed', set: 'Documents', failure: failureOf('chunk_missing'), at: NOW }],
    ['a destination that cannot be read', { kind: 'failed', set: 'Documents', failure: damagedStore(), at: NOW }],
    ['a check of a set', { kind: 'verification-failed', set: 'Documents', run: 1 }],
  ] as const)('is offered by %s', async (_name, need) => {
    const page = await open({ ...PROTECTED, health: 'at-risk', needs: [need] });
    await page.getByRole('button', { name: 'Check the destination…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { level: 1, name: 'Check of the destination' }).waitFor();
    await shown.close();
  });

  test('is not offered for a service, nor by other failures', async () => {
    const service = { kind: 'service', location: 'https://backup.example.org' } as const;
    const need = { kind: 'failed', set: 'Documents', failure: failureOf('chunk_missing'), at: NOW } as const;
    const destinations = [{ ...BACKUP_DISK, ...service }];
    let page = await open({ ...PROTECTED, destination: service, destinations, health: 'at-risk', needs: [need] });
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Destination' }).click();
    await page.getByText('https://backup.example.org').first().waitFor();
    expect(await page.getByRole('button', { name: 'Check this destination…' }).count()).toBe(0);
    await shown.close();
    page = await open({
      ...PROTECTED,
      health: 'at-risk',
      needs: [{ ...need, failure: failureOf('destination_full') }],
    });
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await shown.close();
  });

  test('keeps its dialog open when it cannot start', async () => {
    const page = await open(DAMAGED, {
      'runs.repair': () => {
        throw new HoldfastError('home_busy', { command: 'backup Documents' });
      },
    });
    await page.getByRole('button', { name: 'Show and repair' }).click();
    await page.getByRole('button', { name: 'Repair…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Repair' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await shown.close();
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const values = [
      'Documents',
      'Anna’s laptop',
      'Backup disk',
      'dev_9',
      /\/(home|media|\.holdfast)[\w/. ]*/,
      /(packs|ledger)\/[\w/]+/,
      ...DOCUMENTS.roots,
    ];
    const page = await open(inLanguage(DAMAGED, look.language), {}, look);
    const see = async (name: string): Promise<void> => {
      await expectSound(shown, look, values);
      if (LOOKS === undefined) return;
      mkdirSync(LOOKS, { recursive: true });
      const file = `check-${look.width}-${look.colorScheme}-${look.language}-${name}.png`;
      await page.screenshot({ path: join(LOOKS, file) });
    };
    await page.locator('.home-need').waitFor();
    await see('home');
    await page.locator('.home-need .ui-button').click();
    await page.locator('.act-problem').first().waitFor();
    await see('found');
    await page.locator('.act-again .ui-button').first().click();
    await page.getByRole('dialog').waitFor();
    await see('repair');
    await page.getByRole('dialog').locator('.ui-button').last().click();
    await page.locator('.ui-notice').first().waitFor();
    await see('repaired');
    await page.locator('.act-again .ui-button').last().click();
    await page.getByRole('dialog').locator('.ui-card').nth(1).click();
    await page.getByRole('dialog').locator('input[inputmode]').waitFor();
    await see('extent');
    await page.keyboard.press('Escape');
    await shown.setState(inLanguage({ ...PROTECTED, health: 'running', runs: [{ ...ACTIVE, id: 2 }] }, look.language));
    await page.locator('.act-card').first().waitFor();
    await see('running');
    await shown.close();
  });
});

function failureOf(code: 'chunk_missing' | 'destination_full') {
  return { code, details: {} } as const;
}

function damagedStore() {
  return { code: 'destination_missing', details: { directory: '/media/disk', problem: 'damaged' } } as const;
}
