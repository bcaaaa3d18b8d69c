import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { BrowsedEntry } from '../../../src/ipc/contract/restore/restore.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { APPEARANCES, expectSound, inLanguage } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { POINTS, restoreAnswers } from './restore-answers.ts';
import { BACKUP_DISK, NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const FOLDER = '/home/anna/Pictures';
const MODIFIED = new Date(NOW).toISOString();
/** A folder, 5,000 photographs, and two files that are none. */
const NAMES = [
  'Albums',
  ...Array.from({ length: 5_000 }, (_, index) => `IMG_${String(index).padStart(4, '0')}.jpg`),
  'notes.txt',
  'scan.jpg',
];
/** More than is fetched for a thumbnail. */
const HUGE = 30 * 2 ** 20;

function entryOf(name: string): BrowsedEntry {
  const path = `${FOLDER}/${name}`;
  if (name === 'Albums')
    return { path, name, type: 'directory', size: 0, modified: MODIFIED, within: { files: 3, bytes: 9 } };
  return { path, name, type: 'file', size: name === 'scan.jpg' ? HUGE : 2_500_000, modified: MODIFIED };
}

const GRID: AppState = { ...PROTECTED, preferences: { ...PROTECTED.preferences, folderView: 'grid' } };

describe.skipIf(CHROMIUM === undefined)('a folder as a grid of pictures', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state = GRID, more: Answers = {}): Promise<ShownWindow> {
    const shown = await pages.show(
      state,
      restoreAnswers({
        'restore.rows': ({ from, count }) => ({
          entries: NAMES.slice(from, from + count).map(entryOf),
          total: NAMES.length,
          isComplete: true,
          isSorted: true,
        }),
        'restore.jump': ({ start }) => ({ row: NAMES.findIndex((name) => name.startsWith(start)) }),
        'preferences.save': () => ({}),
        'preview.gallery': () => ({ gallery: 'a'.repeat(32), address: 'about:blank' }),
        'preview.thumbnail': () => ({ kind: 'none' }),
        'preview.close-gallery': () => ({}),
        ...more,
      }),
    );
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    await shown.page.locator('[data-index="1"]').waitFor();
    return shown;
  }

  test('is chosen beside the path, and remembered', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    expect(await page.locator('.restore-tile').count()).toBe(0);
    expect(callsOf(shown, 'preview.gallery')).toEqual([]);
    await page.getByRole('radio', { name: 'Grid' }).check({ force: true });
    await page.locator('.restore-tile[data-index="1"]').waitFor();
    expect(callsOf(shown, 'preferences.save')).toEqual([{ preferences: GRID.preferences }]);
    await page.getByRole('radio', { name: 'List' }).check({ force: true });
    await page.getByRole('columnheader', { name: 'Size' }).waitFor();
  });

  test('names each entry once, in words that are apart', async () => {
    const { page } = await open();
    const snapshot = await page.getByRole('grid').ariaSnapshot();
    expect(snapshot).toContain('- gridcell "Albums folder"');
    expect(snapshot).toContain('- gridcell "IMG_0000.jpg 2.5 MB"');
    // Screen readers read a title of the cell after its name.
    expect(await page.getByRole('gridcell').first().getAttribute('title')).toBeNull();
  });

  test('moves by rows and columns, in the direction of reading, and jumps to a name', async () => {
    const shown = await open();
    const { page } = shown;
    const grid = page.getByRole('grid');
    await grid.focus();
    const columns = Number(await grid.getAttribute('aria-colcount'));
    expect(columns).toBeGreaterThan(2);
    expect(Number(await grid.getAttribute('aria-rowcount'))).toBe(Math.ceil(NAMES.length / columns));
    const press = async (key: string, expected: number): Promise<void> => {
      await page.keyboard.press(key);
      await expect.poll(() => current(page), { message: key }).toBe(NAMES[expected]);
    };
    await press('ArrowRight', 1);
    await press('ArrowDown', 1 + columns);
    await press('ArrowLeft', columns);
    await press('ArrowUp', 0);
    await press('ArrowUp', 0);
    await press('End', NAMES.length - 1);
    await press('Home', 0);
    await press('n', NAMES.indexOf('notes.txt'));
    await press('Home', 0);
    await shown.setState(inLanguage(GRID, 'ar'));
    await expect.poll(() => page.evaluate('document.documentElement.dir')).toBe('rtl');
    await press('ArrowLeft', 1);
    await press('ArrowRight', 0);
  });

  test('selects one, several and all as the list does', async () => {
    const { page } = await open();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press(' ');
    await page.getByText('1 file chosen (2.5 MB)').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('3 files chosen (7.5 MB)').waitFor();
    expect(await page.locator('.restore-tile[data-index="2"]').getAttribute('aria-selected')).toBe('true');
    await page.locator('.restore-tile[data-index="0"] [data-part=choose]').click();
    await page.getByText('1 folder and 3 files chosen (7.5 MB)').waitFor();
    await page.locator('.restore-tile[data-index="1"]').click({ modifiers: ['Control'] });
    await page.getByText('1 folder and 2 files chosen (5 MB)').waitFor();
    await page.locator('.restore-tile[data-index="2"]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Quick look' }).waitFor();
  });

  test('fetches what is visible and may be a picture, twice at a time at most, and nothing again', async () => {
    const waiting: (() => void)[] = [];
    let [active, most] = [0, 0];
    const shown = await open(GRID, {
      'preview.thumbnail': async () => {
        active += 1;
        most = Math.max(most, active);
        await new Promise<void>((resolve) => void waiting.push(resolve));
        active -= 1;
        return { kind: 'none' };
      },
    });
    const { page } = shown;
    await expect.poll(() => waiting).toHaveLength(2);
    const paths = (): readonly string[] =>
      callsOf(shown, 'preview.thumbnail').map((input) => (input as { file: { path: string } }).file.path);
    expect(paths()).toEqual([`${FOLDER}/IMG_0000.jpg`, `${FOLDER}/IMG_0001.jpg`]);
    // Whoever scrolls on does not wait for what was passed.
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.locator(`.restore-tile[data-index="${NAMES.length - 1}"]`).waitFor();
    await page.waitForTimeout(300);
    while (waiting.length > 0) {
      waiting.splice(0).forEach((end) => end());
      await page.waitForTimeout(50);
    }
    const fetched = paths().map((path) => path.slice(FOLDER.length + 1));
    expect(fetched.length).toBeLessThan(60);
    expect(fetched.slice(2).every((name) => name > 'IMG_4900')).toBe(true);
    expect(fetched).not.toContain('scan.jpg');
    expect(fetched).not.toContain('notes.txt');
    expect(new Set(fetched).size).toBe(fetched.length);
    expect(most).toBe(2);
  });

  test('takes pixels from its own frame only, and only as many as it says', async () => {
    let number = 0;
    const shown = await open(GRID, {
      'preview.thumbnail': () => ({ kind: 'picture', picture: `${(number += 1)}`.padStart(32, 'b') }),
    });
    const { page } = shown;
    await expect.poll(() => callsOf(shown, 'preview.thumbnail')).toHaveLength(2);
    const canvases = page.locator('canvas.restore-thumbnail');
    await expect.poll(() => page.frames()).toHaveLength(2);
    const [window, frame] = [page.mainFrame(), page.frames()[1]!];
    const tell = (from: typeof frame, picture: string, width: number, pixels: number): Promise<unknown> =>
      from.evaluate(
        `(globalThis.parent ?? globalThis).postMessage({ picture: '${picture}', drawn: ${pixels === 0 ? 'undefined' : `{ width: ${width}, height: 1, pixels: new Uint8ClampedArray(${pixels}).fill(200) }`} }, '*')`,
      );
    const [first, second] = ['1'.padStart(32, 'b'), '2'.padStart(32, 'b')];
    await tell(frame, '', 0, 0);
    await tell(window, first, 2, 8);
    await tell(frame, first, 2, 4);
    await tell(frame, first, 5_000, 20_000);
    await page.waitForTimeout(300);
    expect(await canvases.count()).toBe(0);
    // It was not asked for this one yet.
    await tell(frame, second, 2, 8);
    await tell(frame, first, 2, 8);
    await canvases.waitFor();
    const pixel = '[...document.querySelector(".restore-thumbnail").getContext("2d").getImageData(1, 0, 1, 1).data]';
    expect(await page.evaluate(pixel)).toEqual([200, 200, 200, 200]);
    expect(await page.locator('.restore-tile:has(canvas)').getAttribute('data-index')).toBe('1');
  });

  /** Opens the grid with pages of galleries that `answer` has draw. `asked` are the names of the fetched pictures. */
  async function openDrawing(isRefused: (gallery: number) => Promise<boolean> = () => Promise.resolve(false)) {
    const asked: string[] = [];
    let galleries = 0;
    const shown = await open(PROTECTED, {
      'restore.open': ({ path }) => ({ listing: path }),
      'preview.gallery': () => {
        galleries += 1;
        return { gallery: galleries.toString(16).padStart(32, '0'), address: `about:blank?${galleries}` };
      },
      'preview.thumbnail': async ({ gallery, file: { path } }) => {
        const name = path.slice(FOLDER.length + 1);
        asked.push(name);
        if (await isRefused(Number.parseInt(gallery, 16))) throw new HoldfastError('refused', { problem: 'preview' });
        // Ends with the number of the photograph.
        return { kind: 'picture', picture: `${asked.length}`.padStart(28, '0') + name.slice(4, 8) };
      },
    });
    const { page } = shown;
    await shown.stopClock();
    /** Has the page of the gallery draw what it is asked for, as the real one does. Those of `stuck` keep it busy, as does what comes after them. */
    const answer = async (gallery: number, stuck: readonly string[] = []): Promise<void> => {
      const frame = () => page.frames().find((one) => one.url() === `about:blank?${gallery}`);
      await expect.poll(frame, { message: `gallery ${gallery}` }).toBeDefined();
      await frame()!.evaluate(`(${ANSWERING})(${JSON.stringify(stuck)})`);
    };

    const setView = (name: 'Grid' | 'List') => page.getByRole('radio', { name }).check({ force: true });
    const drawn = () => page.locator('.restore-tile:has(canvas) .restore-tile-name').allTextContents();
    await setView('Grid');
    const leave = async (): Promise<void> => {
      await setView('List');
      await page.locator('.restore-tile').first().waitFor({ state: 'detached' });
    };
    return { page, asked, answer, leave, setView, drawn };
  }

  test('gives up a picture that keeps its page busy, and draws its neighbours in another', async () => {
    const { page, asked, answer, drawn, leave, setView } = await openDrawing();
    await answer(1, ['IMG_0001.jpg']);
    await expect.poll(drawn).toEqual(['IMG_0000.jpg']);
    await page.clock.runFor(20_000);
    await answer(2);
    const neighbours = ['IMG_0000.jpg', 'IMG_0002.jpg', 'IMG_0003.jpg'];
    await expect.poll(drawn).toEqual(expect.arrayContaining(neighbours));
    expect(await drawn()).not.toContain('IMG_0001.jpg');
    await leave();
    await setView('Grid');
    await page.clock.runFor(1_000);
    expect(asked.filter((name) => name === 'IMG_0001.jpg')).toHaveLength(1);
  });

  test('draws what was under way when the grid was left, and tries no picture for ever', async () => {
    const { page, answer, drawn, leave, setView } = await openDrawing();
    await answer(1, ['IMG_0000.jpg']);
    await page.clock.runFor(12_000);
    await leave();
    await setView('Grid');
    await answer(2, ['IMG_0000.jpg']);
    await page.clock.runFor(8_000);
    await answer(3, ['IMG_0001.jpg']);
    await leave();
    await setView('Grid');
    await answer(4);
    await expect.poll(drawn).toEqual(expect.arrayContaining(['IMG_0001.jpg', 'IMG_0002.jpg', 'IMG_0003.jpg']));
    expect(await drawn()).not.toContain('IMG_0000.jpg');
  });

  test('draws what was being fetched when the grid was left', async () => {
    const left = Promise.withResolvers<void>();
    const { answer, asked, drawn, leave, setView } = await openDrawing(async (gallery) => {
      if (gallery === 1) await left.promise;
      return gallery === 1;
    });
    await expect.poll(() => asked).toEqual(['IMG_0000.jpg', 'IMG_0001.jpg']);
    await leave();
    await setView('Grid');
    left.resolve();
    await answer(2);
    await expect.poll(drawn).toEqual(expect.arrayContaining(['IMG_0000.jpg', 'IMG_0001.jpg', 'IMG_0002.jpg']));
  });

  test('goes on in another folder, also after pictures that ended all pages of one', async () => {
    const { page, answer, drawn } = await openDrawing();
    for (const gallery of [1, 2, 3]) {
      await answer(gallery, ['IMG_0000.jpg', 'IMG_0001.jpg', 'IMG_0002.jpg']);
      await page.clock.runFor(20_000);
    }
    await page.clock.runFor(1_000);
    expect(page.frames()).toHaveLength(1);
    expect(await drawn()).not.toContain('IMG_0004.jpg');
    await page.locator('.restore-tile[data-index="0"]').dblclick();
    await answer(4);
    await expect.poll(drawn).toContain('IMG_0004.jpg');
  });

  test('fetches nothing while the destination is away, and asks no more when fetching fails', async () => {
    const { id, name, location: directory } = BACKUP_DISK;
    const failure = { code: 'destination_missing', details: { directory } } as const;
    const away = await open(GRID, {
      'restore.points': () => ({ points: [...POINTS], away: { destination: { id, name }, failure } }),
    });
    await away.page.waitForTimeout(400);
    expect(callsOf(away, 'preview.gallery')).toEqual([]);
    const failing = await open(GRID, {
      'preview.thumbnail': () => {
        throw new HoldfastError('destination_missing', { directory });
      },
    });
    await expect.poll(() => callsOf(failing, 'preview.thumbnail').length).toBeGreaterThan(0);
    await failing.page.waitForTimeout(400);
    expect(callsOf(failing, 'preview.thumbnail').length).toBeLessThanOrEqual(2);
  });

  test.for(APPEARANCES)('fits and is accessible in $language at $width × $height', async (appearance) => {
    // The audit does not look into frames, and the one of a gallery shows nothing.
    const shown = await open(inLanguage(GRID, appearance.language), {
      'preview.gallery': () => Promise.withResolvers<never>().promise,
    });
    await shown.page.emulateMedia({ colorScheme: appearance.colorScheme });
    await shown.page.setViewportSize({ width: appearance.width, height: appearance.height });
    await expectSound(shown, appearance, [
      /\bToday,/,
      /IMG_\d+\.jpg/,
      'Albums',
      'notes.txt',
      'Documents',
      'Anna’s laptop',
      BACKUP_DISK.name,
    ]);
  });
});

/** Draws each picture that the window asks for, one after the other, until one of `stuck`. Resolves then, or after the first. Runs in the frame. */
const ANSWERING = `(stuck) => new Promise((resolve) => {
  let last = Promise.resolve();
  addEventListener('message', ({ data: { picture } }) => {
    last = last.then(() => {
      const isStuck = stuck.includes('IMG_' + picture.slice(-4) + '.jpg');
      if (isStuck || stuck.length === 0) resolve();
      if (isStuck) return new Promise(() => {});
      parent.postMessage({ picture, drawn: { width: 1, height: 1, pixels: new Uint8ClampedArray([9, 9, 9, 255]) } }, '*');
    });
  });
  parent.postMessage({ picture: '' }, '*');
})`;

/** Returns the name of the current entry. */
async function current(page: Page): Promise<string> {
  return page.evaluate(
    `document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))?.querySelector('.restore-tile-name')?.textContent ?? ''`,
  );
}
