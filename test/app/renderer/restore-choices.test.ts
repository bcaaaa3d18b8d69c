import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { MetEntry } from '../../../src/ipc/contract/restore/restore.ts';
import { APPEARANCES, expectSound, expectSoundEverywhere, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { restoreAnswers, ROOT } from './restore-answers.ts';
import { NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages, type Answers, type ShownWindow } from './window-page.ts';

const HOUR = 3_600_000;
const met = (path: string, kind: MetEntry['kind'], hours: number): MetEntry => ({
  path: `${ROOT}/${path}`,
  kind,
  type: 'file',
  size: 31_004,
  modified: NOW - 48 * HOUR,
  there: { type: kind === 'other-type' ? 'directory' : 'file', size: 48_112, modified: NOW - hours * HOUR },
});
const MET: readonly MetEntry[] = [
  met('budget 2026.ods', 'newer', 2),
  met('notes.md', 'changed', 90),
  ...Array.from({ length: 2_400 }, (_, index) => met(`Thesis/figures/cell ${index}.svg`, 'changed', 90)),
  met('Thesis/letter', 'other-type', 3),
  met('Thesis/thesis.tex', 'newer', 1),
];
const VALUES = [
  'Documents',
  'Archive',
  'Invoices',
  'Thesis',
  'Photos',
  'Anna’s laptop',
  'Old PC',
  /(budget 2026|letter to the landlord|microscope|notes|tax return|cell |thesis|letter)[^\n\]]*/,
  /\/home\/anna[^\n\]]*/,
];
const PLAN = {
  files: 5,
  bytes: 420_000_000,
  filesNew: 12,
  unchanged: 7,
  conflicts: MET.slice(0, 1000).map(({ path }) => path),
  conflictsTotal: MET.length,
  conflictsNewer: 2,
  freeBytes: 812_000_000_000,
  plan: 4,
  names: {
    named: [
      { path: `${ROOT}/Thesis/Notes.md`, kind: 'same-name', becomes: 'beside', as: 'Notes (restored).md' },
      { path: `${ROOT}/Thesis/figures`, kind: 'too-long', becomes: 'not-restored' },
    ],
    total: 2,
  },
} as const;

const ANSWERS: Answers = {
  'restore.plan': ({ choices = [] }) => ({
    ...PLAN,
    conflicts: [...PLAN.conflicts],
    names: { ...PLAN.names, named: [...PLAN.names.named] },
    byChoice: { skip: 0, overwrite: choices.length, 'keep-both': MET.length - choices.length },
  }),
  'restore.met': ({ from, count }) => ({ entries: MET.slice(from, from + count), total: MET.length }),
};

/** Titles of the cards that the foot of the dialog covers or that are below it. */
const COVERED = `(() => {
  const { top } = document.querySelector('.ui-dialog-foot').getBoundingClientRect();
  return [...document.querySelectorAll('.ui-dialog .ui-card')]
    .filter((card) => card.getBoundingClientRect().bottom > top)
    .map((card) => card.querySelector('.ui-card-title').textContent);
})()`;

describe.skipIf(CHROMIUM === undefined)('the plan of a restore', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers: Answers = ANSWERS): Promise<ShownWindow> {
    const shown = await pages.show(PROTECTED, restoreAnswers(answers));
    onTestFinished(() => shown.close());
    const { page } = shown;
    page.setDefaultTimeout(60_000);
    await page.getByRole('navigation').getByRole('button').nth(2).click();
    await page.getByRole('button', { name: 'Restore everything…' }).click();
    return shown;
  }

  test.each([
    ['en', 1000, 700],
    ['de', 1000, 700],
    ['en', 720, 520],
  ] as const)('shows every way to restore above the plan, in %s at %d × %d', async (language, width, height) => {
    const plan = { ...PLAN, conflicts: PLAN.conflicts.slice(0, 2), conflictsTotal: 2, names: undefined };
    const shown = await open({ ...ANSWERS, 'restore.plan': () => plan });
    const { page } = shown;
    await shown.setState(inLanguage(PROTECTED, language));
    await page.locator(`html[lang^=${language}]`).waitFor();
    await page.setViewportSize({ width, height });
    await page.locator('.restore-plan strong').waitFor();
    await expect.poll(() => page.evaluate<string[]>(COVERED)).toEqual([]);
  });

  test('lets a person choose for each file, for a folder and for all that are shown', async () => {
    const shown = await open();
    const { page } = shown;
    const dialog = page.getByRole('dialog');
    await dialog.getByText('12 files are missing here. 7 files are the same already.').waitFor();
    await dialog.getByRole('button', { name: 'Choose for each file…' }).click();
    await dialog.getByText('budget 2026.ods').waitFor();
    expect(await dialog.getByText('Newer here').count()).toBe(1);

    await dialog.getByRole('button', { name: /What happens to notes.md/ }).click();
    await page.getByRole('option', { name: 'Replace' }).click();
    // The folder of the figures, whose files follow it.
    await dialog.getByRole('button', { name: /What happens to figures/ }).click();
    await page.getByRole('option', { name: 'Keep this one' }).click();
    await expect
      .poll(() => dialog.getByRole('button', { name: /^What happens to cell.* Keep this one$/ }).count())
      .not.toBe(0);
    await dialog.getByRole('button', { name: /All \(2,404\)$/ }).click();
    await page.getByRole('option', { name: 'Newer here (2)' }).click();
    await dialog.getByText('thesis.tex').waitFor();
    await dialog.getByRole('button', { name: 'For all shown…' }).click();
    await page.getByRole('menuitem', { name: 'Keep this one' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();

    const choices = [
      { path: `${ROOT}/notes.md`, choice: 'overwrite' },
      { path: `${ROOT}/Thesis/figures`, choice: 'skip' },
      { path: `${ROOT}/budget 2026.ods`, choice: 'skip' },
      { path: `${ROOT}/Thesis/thesis.tex`, choice: 'skip' },
    ];
    await dialog.getByText(/Replaced: 4\. Kept as they are: 0\. Put beside: 2,400\./).waitFor();
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await expect.poll(() => callsOf(shown, 'restore.start')).toMatchObject([{ to: null, choices }]);
  });

  test('keeps the choices when the list is cancelled, and drops them when they are discarded', async () => {
    const { page, calls } = await open();
    const dialog = page.getByRole('dialog');
    const plans = (): unknown[] => calls.filter(({ name }) => name === 'restore.plan').map(({ input }) => input);
    const review = async (): Promise<void> => {
      await dialog.getByRole('button', { name: 'Choose for each file…' }).click();
      await dialog.getByText('notes.md').waitFor();
    };
    await review();
    await dialog.getByRole('button', { name: /What happens to notes.md/ }).click();
    await page.getByRole('option', { name: 'Replace' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByText(/Replaced: 1\./).waitFor();
    await review();
    await dialog.getByRole('button', { name: 'For all shown…' }).click();
    await page.getByRole('menuitem', { name: 'Discard all choices' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText(/Replaced: 1\./).waitFor();
    await review();
    await dialog.getByRole('button', { name: 'For all shown…' }).click();
    await page.getByRole('menuitem', { name: 'Discard all choices' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByText(/items have changed: the restored ones get new names/).waitFor();
    expect(plans().at(-1)).not.toHaveProperty('choices');
  });

  test('fits and is accessible in every appearance, and names what has no place', async () => {
    const shown = await open();
    const { page } = shown;
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 names cannot be used there.').click();
    await dialog.getByText('Another item has the same name there. It is restored as “Notes (restored).md”.').waitFor();
    await expectSoundEverywhere(shown, PROTECTED, [...VALUES, 'Notes (restored).md']);
    await shown.setState(PROTECTED);
    await dialog.getByRole('button', { name: 'Choose for each file…' }).click();
    await dialog.getByText('notes.md').waitFor();
    for (const appearance of APPEARANCES) {
      const { width, height, colorScheme, language } = appearance;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await shown.setState(inLanguage(PROTECTED, language));
      await expectSound(shown, appearance, VALUES);
    }
  });
});
