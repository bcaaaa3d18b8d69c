import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readablePath as readableByEngine, segmentOfBytes } from '../../../src/os/filesystem/names/entry-path.ts';
import { exactPath, readablePath } from '../../../src/renderer/shared/readable-path.ts';

import { activityAnswers, pastRuns, RESTORE_REPORT } from './activity-answers.ts';
import { FOLDERS, restoreAnswers, ROOT } from './restore-answers.ts';
import { PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';

const LATIN1 = Buffer.from('f\xfcr \\ 100 %.txt', 'latin1');
const ESCAPED = `/home/${segmentOfBytes(LATIN1)}/b`;

describe('a path in the window', () => {
  test('is shown as it is, in every script', () => {
    for (const path of ['/home/anna/für 100 %.txt', '/home/ملف/文件', 'notes\\old.md']) {
      expect([readablePath(path), exactPath(path)]).toEqual([path, undefined]);
    }
  });

  test('has U+FFFD for bytes that are not UTF-8, as the history has it, and the bytes in its hint', () => {
    expect(readablePath(ESCAPED)).toBe('/home/f\ufffdr \\ 100 %.txt/b');
    expect(readablePath(ESCAPED)).toBe(readableByEngine(ESCAPED));
    expect(exactPath(ESCAPED)).toBe('/home/f\\xFCr \\x5C 100 %.txt/b');
  });

  test('cannot turn the text around it, or hide its ending', () => {
    expect(readablePath('invoice\u202Efdp.exe')).toBe('invoice\ufffdfdp.exe');
    expect(exactPath('invoice\u202Efdp.exe')).toBe('invoice\\u202Efdp.exe');
    expect(readablePath('a\nb\u2067c\u0085')).toBe('a\ufffdb\ufffdc\ufffd');
  });

  test('is not decoded further if the escape is not followed by base64url', () => {
    expect(readablePath('\u{10FFFD}<b>')).toBe('');
    expect(exactPath('\u{10FFFD}<b>')).toBe('');
  });
});

describe.skipIf(CHROMIUM === undefined)('names in the window', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('are readable and isolated in the list of files, with their exact characters in a hint', async () => {
    const names = [segmentOfBytes(LATIN1), 'invoice\u202Efdp.exe', 'ملف.txt'];
    const rows = names.map((name, index) => {
      const entry = FOLDERS[ROOT]!.row(3 + index);
      return Object.assign({}, entry, { name, path: `${ROOT}/${name}` });
    });
    const shown = await pages.show(
      PROTECTED,
      restoreAnswers({ 'restore.rows': () => ({ entries: rows, total: 3, isComplete: true, isSorted: true }) }),
    );
    const { page } = shown;
    await page.getByRole('navigation').getByRole('button').nth(2).click();
    const shownNames = page.locator('.restore-row .restore-name bdi');
    await expect
      .poll(() => shownNames.allTextContents())
      .toEqual(['f\ufffdr \\ 100 %.txt', 'invoice\ufffdfdp.exe', 'ملف.txt']);
    expect(await shownNames.nth(0).getAttribute('title')).toBe('f\\xFCr \\x5C 100 %.txt');
    expect(await shownNames.nth(1).getAttribute('title')).toBe('invoice\\u202Efdp.exe');
    expect(await shownNames.nth(2).getAttribute('title')).toBeNull();
    await page.getByRole('button', { name: 'Restore “f\ufffdr \\ 100 %.txt”…' }).waitFor();
    await shown.close();
  });

  test('tell restores in Activity apart: what, and where to', async () => {
    const [run] = pastRuns(6).slice(5);
    const restored = [
      { path: `${ROOT}/notes.md`, paths: 1, to: null },
      { path: `${ROOT}/Thesis`, paths: 3, to: '/home/anna/Restored' },
      { paths: 0, to: '/home/anna/Restored' },
    ];
    const runs = restored.map((one, index) => Object.assign({}, run!, { id: 40 - index, restored: one }));
    const shown = await pages.show(PROTECTED, {
      ...activityAnswers(runs, () => RESTORE_REPORT),
      'activity.list': () => ({ runs, hasMore: false }),
    });
    const { page } = shown;
    await page.getByRole('navigation').getByRole('button').nth(3).click();
    const titles = page.locator('.act-row-title');
    await expect
      .poll(() => titles.allTextContents())
      .toEqual([
        `Restore of “notes.md” from “${run!.set}”`,
        `Restore of “Thesis” and 2 more from “${run!.set}”`,
        `Restore from “${run!.set}”`,
      ]);
    const facts = await page.locator('.act-row .ui-hint').allTextContents();
    expect(facts[0]).toContain('to the original location');
    expect(facts[1]).toContain('to /home/anna/Restored');
    await shown.close();
  });
});
