import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BrowsedEntry } from '../../../src/ipc/contract/restore/restore.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { isPackage } from '../../../src/renderer/features/restore/packages.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { restoreAnswers } from './restore-answers.ts';
import { NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { ShownWindow } from './window-page.ts';

const FOLDER = '/Users/anna/Desktop';
const MODIFIED = new Date(NOW).toISOString();
const FOLDERS = ['Invoices', 'Letter.pages', 'Photos.photoslibrary'];
const DATA = ['Anna’s laptop', ...FOLDERS, 'notes.txt', /[\d.,]+ [kMGT]?B/, /\/[\w/. -]+/];

function folder(path: string): BrowsedEntry {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { path, name, type: 'directory', size: 0, modified: MODIFIED, within: { files: 7, bytes: 9_000_000 } };
}

const ENTRIES: readonly BrowsedEntry[] = [
  ...FOLDERS.map((name) => folder(`${FOLDER}/${name}`)),
  { path: `${FOLDER}/notes.txt`, name: 'notes.txt', type: 'file', size: 5, modified: MODIFIED },
];

describe('a package of macOS', () => {
  test.each([
    '/Users/anna/Desktop/Letter.pages',
    '/Users/anna/Pictures/Photos Library.photoslibrary',
    '/Applications/Calculator.app',
    '/Applications/CALCULATOR.APP',
    '/Volumes/Work/film.fcpbundle',
    '/Library/Extensions/driver.kext',
    '/Users/anna/Music/v1.2 Song.logicx',
  ])('is the folder %s', (path) => {
    expect(isPackage(folder(path))).toBe(true);
  });

  test.each([
    ['a folder with another ending', folder('/Users/anna/Invoices')],
    ['a folder whose name is only an ending', folder('/Users/anna/.app')],
    ['a folder of Linux', folder('/home/anna/site.app')],
    ['a folder of Windows', folder('C:/Users/anna/site.app')],
    ['a folder in a package', folder('/Users/anna/Letter.pages/Data')],
    ['a folder of a person with such a name', folder('/UsersOld/anna/site.app')],
    ['a file', { ...folder('/Users/anna/Letter.pages'), type: 'file' }],
    ['a link', { ...folder('/Users/anna/Letter.pages'), type: 'symlink' }],
  ] as const)('is not %s', (_name, entry) => {
    expect(isPackage(entry)).toBe(false);
  });
});

describe.skipIf(CHROMIUM === undefined)('packages of macOS in Restore', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state: AppState = PROTECTED): Promise<ShownWindow> {
    const shown = await pages.show(
      state,
      restoreAnswers({
        'restore.rows': () => ({ entries: [...ENTRIES], total: ENTRIES.length, isComplete: true, isSorted: true }),
        'preview.gallery': () => ({ gallery: 'a'.repeat(32), address: 'about:blank' }),
        'preview.close-gallery': () => ({}),
      }),
    );
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    await rowOf(shown.page, 3).waitFor();
    return shown;
  }

  /** The folders that were opened, without the top. */
  const opened = (shown: ShownWindow): readonly string[] => [
    ...new Set(callsOf(shown, 'restore.open').flatMap((input) => (input as { readonly path: string }).path || [])),
  ];

  test('are one item with its kind and size, and chosen as a whole', async () => {
    const shown = await open();
    const { page } = shown;
    expect(await page.getByRole('row').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/Letter\.pages\s+Package\s+9\sMB/)]),
    );
    expect(await rowOf(page, 0).innerText()).not.toContain('Package');
    await rowOf(page, 1).dblclick();
    await page.getByText('1 folder chosen (9 MB)').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('2 folders chosen (18 MB)').waitFor();
    expect(opened(shown)).toEqual([]);
    // A folder still opens.
    await rowOf(page, 0).dblclick();
    await expect.poll(() => opened(shown)).toEqual([`${FOLDER}/Invoices`]);
  });

  test('show their contents by their menu', async () => {
    const shown = await open();
    const { page } = shown;
    await rowOf(page, 1).click({ button: 'right' });
    expect(await page.getByRole('menuitem', { name: 'Open' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Show package contents' }).click();
    await expect.poll(() => opened(shown)).toEqual([`${FOLDER}/Letter.pages`]);
  });

  test('are one item in the grid, too', async () => {
    const { page } = await open({ ...PROTECTED, preferences: { ...PROTECTED.preferences, folderView: 'grid' } });
    expect(await rowOf(page, 1).innerText()).toMatch(/Letter\.pages\s+Package · 9\sMB/);
    await rowOf(page, 1).dblclick();
    await page.getByText('1 folder chosen (9 MB)').waitFor();
  });

  test('fit the window in every language', async () => {
    const shown = await open();
    await expectSoundEverywhere(shown, PROTECTED, DATA);
    if (process.env['HOLDFAST_PICTURES'] === '1') await shown.page.screenshot({ path: 'test-results/packages.png' });
  });
});

function rowOf(page: Page, index: number) {
  return page.locator(`[data-index="${index}"]`);
}
