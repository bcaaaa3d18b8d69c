import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { ChangedEntry, ChangeSums } from '../../../src/ipc/contract/restore/history.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { sumsText } from '../../../src/renderer/shared/changes/sums-text.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const HOUR = 3_600_000;
const RUN = pastRuns(1)[0]!;
const POINT = BACKUP_REPORT.restorePoint!;
const BEFORE = new Date(NOW - 25 * HOUR).toISOString();
const NONE: ChangeSums = { added: 0, changed: 0, removed: 0, bytesBefore: 0, bytesAfter: 0 };
const SUMS: ChangeSums = { added: 1, changed: 1, removed: 251, bytesBefore: 2_000_000, bytesAfter: 5_000_000 };

const DOCUMENTS: ChangedEntry = {
  path: '/home/anna/Documents',
  name: '/home/anna/Documents',
  isFolder: true,
  state: 'within',
  sums: SUMS,
};
const LETTERS: ChangedEntry = {
  path: '/home/anna/Documents/2025/2026',
  name: '2025/2026',
  isFolder: true,
  state: 'removed',
  sums: { ...NONE, removed: 250 },
};
const THESIS: ChangedEntry = {
  path: '/home/anna/Documents/thesis.odt',
  name: 'thesis.odt',
  isFolder: false,
  state: 'changed',
  sums: { ...NONE, changed: 1, bytesBefore: 2_000_000, bytesAfter: 4_000_000 },
};
const LETTER_COUNT = 250;

/** Answers that have a tree of changes. */
const ANSWERS: Answers = {
  ...activityAnswers([RUN], () => BACKUP_REPORT),
  'history.changed-folder': ({ folder, first, count }) => {
    const letters = Array.from({ length: LETTER_COUNT }, (_, index): ChangedEntry => {
      const name = `letter ${index + 1}.txt`;
      return {
        path: `${LETTERS.path}/${name}`,
        name,
        isFolder: false,
        state: 'removed',
        sums: { ...NONE, removed: 1 },
      };
    });
    const all = folder === '' ? [DOCUMENTS] : folder === DOCUMENTS.path ? [LETTERS, THESIS] : letters;
    const entries = all.slice(first, first + count);
    return {
      entries,
      total: all.length,
      sums: SUMS,
      isCut: false,
      from: BEFORE,
      to: POINT,
      destination: RUN.destination,
    };
  },
};

const DATA = ['Documents', 'Anna’s laptop', '2025/2026', 'thesis.odt', /letter \d+\.txt/, /\/[\w/. -]+(…[\w/. -]*)?/];

test.each(['en', 'de', 'fr', 'es', 'ja', 'ar'] as const)('begins no sentence in lower case in %s', (wish) => {
  const language = languageOf(wish, []);
  for (const sums of [SUMS, { ...SUMS, added: 0 }, { ...NONE, removed: 1 }]) {
    const { sentence } = language.strings.activity.changes;
    expect(sentence(sumsText(sums, language), language.formats.bytes(3_000_000), true)).toMatch(/^\P{Ll}/u);
  }
});

let pages: WindowPages;

describe.skipIf(CHROMIUM === undefined)('what a run changed', () => {
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('of few files is open at once', async () => {
    const few: ChangeSums = { ...NONE, added: 1, changed: 1 };
    const shown = await open({
      ...ANSWERS,
      'history.changed-folder': ({ folder }) => {
        const entries = folder === '' ? [{ ...DOCUMENTS, sums: few }] : [THESIS];
        return { entries, total: 1, sums: few, isCut: false, from: BEFORE, to: POINT, destination: RUN.destination };
      },
    });
    const tree = shown.page.getByRole('tree', { name: 'What changed' });
    await tree.getByRole('treeitem', { name: /thesis\.odt/ }).waitFor();
    await tree.getByRole('treeitem').first().click();
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(1);
  });

  test('is a tree with counts and sizes, opened by keyboard and pointer', async () => {
    const shown = await open();
    const { page } = shown;
    await page.getByText('1 added, 1 changed, 251 removed (+3 MB).').waitFor();
    const tree = page.getByRole('tree', { name: 'What changed' });
    const item = (name: string | RegExp) => tree.getByRole('treeitem', { name });
    await tree.focus();
    await page.keyboard.press('ArrowRight');
    await item(/thesis\.odt/).waitFor();
    expect(await item(/thesis\.odt/).textContent()).toMatch(/2\sMB → 4\sMB/);
    await item(/2025\/2026/).click();
    await item(/^letter 1\.txt/)
      .first()
      .waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await item('Show 50 more').click();
    await expect.poll(() => callsOf(shown, 'history.changed-folder').length).toBe(4);
    expect(callsOf(shown, 'history.changed-folder').at(-1)).toMatchObject({ folder: LETTERS.path, first: 200 });
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(1);
  });

  test('leads to the restore point', async () => {
    const shown = await open();
    await shown.page.getByRole('button', { name: 'Browse this restore point' }).click();
    await shown.page.getByRole('heading', { name: 'Restore' }).waitFor();
  });

  test('is not shown where the history does not know it', async () => {
    const unknown = await open({
      ...ANSWERS,
      'history.changed-folder': () => {
        throw new HoldfastError('no_restore_point', {});
      },
    });
    await unknown.page.getByText('The list of changes for this restore point is not available yet.').waitFor();
  });

  test('warns of a run that looks like ransomware, and offers what can be done', async () => {
    const alarm: AppState['needs'][number] = {
      kind: 'suspicious-run',
      set: 'Documents',
      run: RUN.id,
      at: NOW,
      reasons: ['mass_encryption'],
      safePoint: BEFORE,
    };
    const shown = await open(ANSWERS, { ...PROTECTED, health: 'at-risk', needs: [alarm] });
    const { page } = shown;
    await page.getByText('Suspicious').waitFor();
    await page.getByRole('button', { name: 'All activity' }).click();
    await page.getByRole('row', { name: /^Backup of “Documents”, Suspicious/ }).click();
    expect(await page.locator('.act-head').getByText(/Done/).count()).toBe(0);
    await page.getByText(/Many files were overwritten with data that looks encrypted/).waitFor();
    await page.getByRole('tree', { name: 'What changed' }).waitFor();
    await page.getByRole('button', { name: 'Restore earlier files' }).click();
    await page.getByRole('heading', { name: 'Restore' }).waitFor();
  });

  test('fits, is accessible, and is translated', async () => {
    const shown = await open();
    await shown.page.getByRole('tree').focus();
    await shown.page.keyboard.press('ArrowRight');
    await shown.page.getByText('thesis.odt').waitFor();
    await expectSoundEverywhere(shown, PROTECTED, DATA);
  });
});

async function open(answers = ANSWERS, state: AppState = PROTECTED): Promise<ShownWindow> {
  const shown = await pages.show(state, answers);
  onTestFinished(() => shown.close());
  await shown.page.getByRole('navigation').getByRole('button', { name: 'Activity' }).click();
  await shown.page.locator('.act-row').first().click();
  await shown.page.getByRole('button', { name: 'All activity' }).waitFor();
  return shown;
}
