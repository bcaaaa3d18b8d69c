import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { Preview } from '../../../src/ipc/contract/restore/preview.ts';
import { differenceOf, linesIn, rowsOf } from '../../../src/renderer/features/restore/look/text-rows.ts';
import type { TextRow } from '../../../src/renderer/features/restore/look/text-rows.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { FOLDERS, POINTS, restoreAnswers, ROOT, spanOf } from './restore-answers.ts';
import { BACKUP_DISK, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages, type Answers, type PageOptions, type ShownWindow } from './window-page.ts';

/** What runs in the page. */
interface Page {
  readonly document: { querySelector(name: 'iframe'): { readonly contentWindow: Pick<Page, 'postMessage'> } };
  postMessage(message: unknown, origin: string): void;
}

const PATH = `${ROOT}/notes.md`;
const COMPLETE = { known: 240, total: 240, isListed: true, damaged: [] };

/** Three versions, oldest first; the first and the last have the same content. */
const VERSIONS = [
  { modified: '2026-10-01T08:00:00.000Z', size: 11, content: 'a1', from: 200, to: 100 },
  { modified: '2026-11-02T09:30:00.000Z', size: 5_000_000, content: 'b2', from: 99, to: 50 },
  { modified: '2026-11-20T10:00:00.000Z', size: 11, content: 'a1', from: 49, to: 0 },
].map(({ modified, size, content, from, to }) =>
  Object.assign(spanOf(POINTS[from]!.restorePoint, POINTS[to]!.restorePoint), {
    kind: 'file' as const,
    modified,
    size,
    content,
    destinations: [BACKUP_DISK.id],
    points: from - to + 1,
  }),
);
const [FIRST, SECOND, THIRD] = VERSIONS as [(typeof VERSIONS)[0], (typeof VERSIONS)[0], (typeof VERSIONS)[0]];

function textOf(text: string): Preview {
  return {
    kind: 'text',
    preview: createHash('md5').update(text).digest('hex'),
    size: text.length,
    text,
    isWhole: true,
  };
}

test('breaks long lines at spaces, and counts them as one', () => {
  const words = 'field notes of the autumn term '.repeat(12).trim();
  const texts = (rows: readonly TextRow[]): readonly string[] =>
    rows.map((row) => (row.kind === 'left-out' ? '…' : row.text));
  const rows = texts(rowsOf(`${words}\nshort`));
  expect(rows.join('')).toBe(`${words}short`);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
  expect(rows.slice(0, -2).every((row) => row.endsWith(' '))).toBe(true);
  // Without spaces, characters stay whole.
  expect(texts(rowsOf('a' + '🗂'.repeat(100))).every((row) => row.isWellFormed())).toBe(true);
  const difference = differenceOf(words, `${words} more`)!;
  expect([linesIn(difference, 'removed'), linesIn(difference, 'added')]).toEqual([1, 1]);
});

describe.skipIf(CHROMIUM === undefined)('looking at a file', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers: Answers = {}, options: PageOptions = {}, state = PROTECTED): Promise<ShownWindow> {
    const shown = await pages.show(
      state,
      restoreAnswers({
        'history.versions': () => ({ versions: VERSIONS, completeness: COMPLETE }),
        'preview.open': ({ file }) => textOf(file.restorePoint === SECOND.to ? 'one\nthree' : 'one\ntwo\nthree'),
        'preview.close': () => ({}),
        ...answers,
      }),
      options,
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    page.setDefaultTimeout(60_000);
    await page.getByRole('navigation').getByRole('button').nth(2).click();
    await page.locator('[role=row][data-index="0"]').dblclick();
    await page.locator('[role=row][data-index="6"]').dblclick();
    await page.getByRole('dialog', { name: 'notes.md' }).waitFor();
    return shown;
  }

  test('shows each version with its size, time and restore points, by arrow keys', async () => {
    const shown = await open();
    const { page } = shown;
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(3);
    expect(await options.nth(1).textContent()).toMatch(/5\sMB · 50 restore points/);
    await expect.poll(() => options.first().getAttribute('aria-selected')).toBe('true');
    await page.getByRole('region', { name: 'Text of “notes.md”' }).getByText('two').waitFor();
    await options.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('region', { name: 'Text of “notes.md”' }).getByText('three').waitFor();
    await expect
      .poll(() => callsOf(shown, 'preview.open').at(-1))
      .toEqual({ file: { set: 'Documents', device: 'dev_1', restorePoint: SECOND.to, path: PATH }, isLarge: false });
    // What is no longer shown is forgotten.
    await expect.poll(() => callsOf(shown, 'preview.close').length).toBeGreaterThan(0);
  });

  test('says of a document what its own page tells, and nothing else', async () => {
    // The frame's page tells what the window asks it to tell.
    const address = `data:text/html,<script>onmessage=({data})=>parent.postMessage(data,'*')</script>`;
    const { page } = await open({
      'preview.open': () => ({ kind: 'pdf', preview: 'a'.repeat(32), size: 9, address }),
    });
    await page.getByText('Opening the document…').waitFor();
    const frame = page.locator('iframe');
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts');
    await page.frameLocator('iframe').locator('html').waitFor({ state: 'attached' });
    const tell = (message: unknown, isFromElsewhere = false) =>
      page.evaluate(
        ([data, isOwn]) => {
          const { document, postMessage } = globalThis as unknown as Page;
          if (isOwn) return postMessage(data, '*');
          document.querySelector('iframe').contentWindow.postMessage(data, '*');
        },
        [message, isFromElsewhere] as const,
      );
    await tell({ kind: 'open', pages: 3, shown: 3 });
    await page.getByText('3 pages').waitFor();
    await tell({ kind: 'failed', reason: 'damaged' }, true);
    await tell({ kind: 'failed', reason: '<b>other</b>' });
    await tell({ kind: 'open', pages: '9', shown: 9 });
    await tell({ kind: 'open', pages: 700, shown: 500 });
    await page.getByText(/The first 500 of 700 pages are shown\./).waitFor();
    expect(await frame.count()).toBe(1);
    await tell({ kind: 'failed', reason: 'damaged' });
    await page.getByText('This document cannot be shown here.').waitFor();
    expect(await frame.count()).toBe(0);
  });

  test('goes to the files beside it, past folders, up to the ends of the list', async () => {
    const shown = await open();
    const { page } = shown;
    const dialog = (name: string) => page.getByRole('dialog', { name });
    const looked = (): unknown => callsOf(shown, 'preview.open').at(-1);
    await page.getByRole('button', { name: 'Next file' }).click();
    await dialog('tax return.pdf').waitFor();
    await expect.poll(looked).toMatchObject({ file: { path: `${ROOT}/tax return.pdf` } });
    expect(await page.getByRole('button', { name: 'Next file' }).isDisabled()).toBe(true);
    for (const name of ['notes.md', /^microscope/, 'letter to the landlord.odt', 'budget 2026.ods']) {
      await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('option');
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('dialog', { name }).waitFor();
    }
    // Only folders are before it.
    expect(await page.getByRole('button', { name: 'Previous file' }).isDisabled()).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('[role=row][data-current]').textContent()).toContain('budget 2026.ods');
  });

  test('compares with the version before, or with any other', async () => {
    const { page } = await open();
    await page.getByText('Differences').click();
    await page.getByText('1 line added, 0 lines removed').waitFor();
    expect(await page.locator('[data-kind=added]').textContent()).toContain('two');
    await page.getByRole('button', { name: /^Compared with/ }).click();
    await page.locator('.ui-option').filter({ hasText: '1 Oct 2026' }).click();
    await page.getByText('Both versions have the same content.').waitFor();
    // Whichever is shown, the later one is compared with the earlier one.
    await page.getByRole('listbox', { name: 'Versions, newest first' }).getByRole('option').last().click();
    await page.getByRole('button', { name: /^Compared with/ }).click();
    await page.locator('.ui-option').filter({ hasText: '2 Nov 2026' }).click();
    await page.getByText('0 lines added, 1 line removed').waitFor();
  });

  test('restores a version in its place or beside the current file, and comes back', async () => {
    const shown = await open();
    const { page } = shown;
    await page.getByRole('option').last().click();
    await page.getByRole('button', { name: 'Restore beside the current file…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore' });
    await dialog.getByRole('button', { name: 'Start restoring' }).waitFor();
    const expected = { at: Date.parse(FIRST.to), paths: [PATH], to: null };
    await expect
      .poll(() => callsOf(shown, 'restore.plan').at(-1))
      .toMatchObject({ ...expected, conflict: 'keep-both' });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('option').last().getAttribute('aria-selected')).toBe('true');
    await page.getByRole('button', { name: 'Restore this version…' }).click();
    await expect
      .poll(() => callsOf(shown, 'restore.plan').at(-1))
      .toMatchObject({ ...expected, conflict: 'overwrite' });
    await dialog.getByRole('button', { name: 'Start restoring' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('puts a file back where it was if there is none now', async () => {
    const shown = await open({ 'restore.on-disk': () => ({ found: [] }) });
    const { page } = shown;
    await page.getByRole('button', { name: 'Put back where it was…' }).click();
    await page.getByRole('dialog', { name: 'Restore' }).getByRole('button', { name: 'Start restoring' }).waitFor();
    await expect.poll(() => callsOf(shown, 'restore.plan').at(-1)).toMatchObject({ paths: [PATH], to: null });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Put back where it was…' }).waitFor();
    expect(await page.getByRole('button', { name: /beside the current file/ }).count()).toBe(0);
  });

  test('compares a version with the file on this computer now', async () => {
    const shown = await open({
      'preview.open': ({ file, isOnDisk }) =>
        textOf(isOnDisk ? 'one\nnow' : file.restorePoint === SECOND.to ? 'one\nthree' : 'one\ntwo\nthree'),
    });
    const { page } = shown;
    await page.getByText('Differences').click();
    await page.getByRole('button', { name: /^Compared with/ }).click();
    await page.locator('.ui-option').filter({ hasText: 'On this computer now:' }).click();
    await page.getByText('1 line added, 2 lines removed').waitFor();
    expect(await page.locator('[data-kind=added]').textContent()).toContain('now');
    expect(callsOf(shown, 'preview.open').at(-1)).toMatchObject({ file: { path: PATH }, isOnDisk: true });
  });

  test('begins to drag the shown version out of the window, in place of the button', async () => {
    const shown = await open({ 'preview.drag': () => ({}) });
    const { page } = shown;
    await page.locator('.look-drag').waitFor();
    const event = "new DragEvent('dragstart', { bubbles: true, cancelable: true })";
    const isPrevented = await page.evaluate(`!document.querySelector('.look-drag').dispatchEvent(${event})`);
    expect(isPrevented).toBe(true);
    const { preview } = textOf('one\ntwo\nthree') as Extract<Preview, { kind: 'text' }>;
    await expect.poll(() => callsOf(shown, 'preview.drag')).toEqual([{ preview }]);
  });

  test('has the time when a restore point was made, also after a clock that was ahead', async () => {
    const late = '2091-04-05T06:07:08.009Z';
    const versions = [FIRST, SECOND, { ...THIRD, to: late }];
    const { page } = await open({ 'history.versions': () => ({ versions, completeness: COMPLETE }) });
    await expect.poll(() => page.getByRole('option').count()).toBe(3);
    expect(await page.getByRole('dialog', { name: 'notes.md' }).innerText()).not.toContain('2091');
  });

  test('tells versions of the same minute apart', async () => {
    const times = ['2026-11-20T10:00:07.000Z', '2026-11-20T10:00:42.000Z', '2026-11-20T10:03:00.000Z'];
    const versions = VERSIONS.map((version, index) => Object.assign({}, version, { modified: times[index]! }));
    const { page } = await open({ 'history.versions': () => ({ versions, completeness: COMPLETE }) });
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(3);
    const labels = await options.locator('.ui-number').allTextContents();
    expect(labels.map((label) => /:00:(07|42)/.test(label))).toEqual([false, true, true]);
    expect(new Set(labels).size).toBe(3);
  });

  test('starts no restore before its plan is known', async () => {
    const planned = Promise.withResolvers<void>();
    const { page } = await open({
      'restore.plan': async () => {
        await planned.promise;
        return { files: 1, bytes: 11, conflicts: [] };
      },
    });
    await page.getByRole('button', { name: 'Restore this version…' }).click();
    const start = page.getByRole('button', { name: 'Start restoring' });
    await page.getByRole('progressbar').waitFor();
    expect(await start.isDisabled()).toBe(true);
    planned.resolve();
    await expect.poll(() => start.isDisabled()).toBe(false);
  });

  test('fetches a large file on request, and offers to restore one that is too large', async () => {
    const shown = await open({
      'preview.open': ({ file, isLarge }) =>
        file.restorePoint !== THIRD.to
          ? { kind: 'too-large', size: 9e9, isPossible: false }
          : isLarge
            ? textOf('all of it')
            : { kind: 'too-large', size: 9e7, isPossible: true },
    });
    const { page } = shown;
    await page.getByText('This file is 90 MB.').waitFor();
    expect(await page.getByRole('button', { name: /Save a copy…/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Download 90 MB to preview' }).click();
    await page.getByText('all of it').waitFor();
    await page.getByRole('option').last().click();
    await page.getByText('Files of this size can only be restored.').waitFor();
    expect(await page.getByRole('button', { name: 'Restore this version…' }).isEnabled()).toBe(true);
  });

  test('shows why a version cannot be read, and that not all restore points are known', async () => {
    const { page } = await open({
      'history.versions': () => ({ versions: [], completeness: { ...COMPLETE, known: 3, total: 9 } }),
      'preview.open': () => {
        throw new HoldfastError('chunk_missing', { chunk: 'sha256:00' });
      },
    });
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    // The version that was opened is there without the history.
    expect(await page.getByRole('option').count()).toBe(1);
    await page.getByText('3 of 9 restore points have been searched so far.').waitFor();
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const shown = await open({}, look, inLanguage(PROTECTED, look.language));
    const { page } = shown;
    const names = Array.from({ length: FOLDERS[ROOT]!.total }, (_, index) => FOLDERS[ROOT]!.row(index).name);
    const values = [...names, 'one', 'two', 'three', 'Documents', 'Anna’s laptop', /\/home\/anna[^\n\]]*/];
    await page.locator('.look-text').waitFor();
    await expectSound(shown, look, values);
    await page.locator('.ui-segment').last().click();
    await page.locator('[data-kind=added]').waitFor();
    await expectSound(shown, look, values);
    const beyond =
      "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.ui-modal'))";
    expect(await page.evaluate(beyond)).toBe(0);
  });
});
